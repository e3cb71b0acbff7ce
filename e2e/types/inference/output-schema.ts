// The compiler infers what a handler returns from `outputSchema`, inline, for every schema library and every form of a function.

import { createServer, inputRequired, type Server, type ToolOptions, text } from "@lethe/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const server = createServer({ name: "types", version: "1.0.0" });
const weather = z.object({ sky: z.enum(["clear", "rain"]), degrees: z.number().optional() });
const shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("circle"), radius: z.number() }),
  z.object({ kind: z.literal("square"), side: z.number() }),
]);

// Enums, in every form of a function.
server.tool("a", { outputSchema: z.object({ sky: z.enum(["clear", "rain"]) }), handler: () => ({ sky: "clear" }) });
server.tool("b", { outputSchema: weather, handler: async () => ({ sky: "clear", degrees: 20 }) });
server.tool("c", { outputSchema: weather, handler: (_args, ctx) => ({ sky: ctx.signal.aborted ? "rain" : "clear" }) });
server.tool("d", {
  outputSchema: weather,
  handler: () => {
    return { sky: "clear" };
  },
});
server.tool("e", {
  outputSchema: weather,
  handler() {
    return { sky: "rain" };
  },
});
server.tool("f", {
  inputSchema: z.object({ wet: z.boolean() }),
  outputSchema: weather,
  async handler({ wet }) {
    if (wet) return { sky: "rain", degrees: 12 };
    return { sky: "clear" };
  },
});

// Literals, tuples, null, arrays, records and unions.
server.tool("g", {
  outputSchema: z.object({
    version: z.literal(3),
    ok: z.literal(true),
    nothing: z.null(),
    pair: z.tuple([z.string(), z.enum(["x", "y"])]),
    list: z.array(z.object({ sky: z.enum(["clear", "rain"]) })),
    byName: z.record(z.string(), z.enum(["on", "off"])),
    deep: z.object({ deeper: z.object({ kind: z.enum(["p", "q"]) }) }),
  }),
  handler: async () => ({
    version: 3,
    ok: true,
    nothing: null,
    pair: ["a", "x"],
    list: [{ sky: "clear" }, { sky: "rain" }],
    byName: { lamp: "on" },
    deep: { deeper: { kind: "p" } },
  }),
});
server.tool("h", {
  outputSchema: z.object({ list: z.array(z.object({ sky: z.enum(["clear", "rain"]) })) }),
  handler: () => ({ list: [1, 2].map((day) => ({ sky: day === 1 ? "clear" : "rain" })) }),
});
server.tool("i", { outputSchema: shape, handler: () => ({ kind: "circle", radius: 1 }) });
server.tool("j", {
  outputSchema: shape,
  handler: async (_args, ctx) => {
    if (ctx.signal.aborted) return { kind: "circle", radius: 1 };
    return { kind: "square", side: 1 };
  },
});
server.tool("k", { outputSchema: z.enum(["a", "b"]), handler: () => "a" });
server.tool("l", { outputSchema: z.array(z.number()), handler: () => [1, 2] });

// A codec: the handler returns the encoded value.
server.tool("m", {
  outputSchema: z.object({
    at: z.codec(z.iso.datetime(), z.date(), { decode: (at) => new Date(at), encode: (at) => at.toISOString() }),
  }),
  handler: () => ({ at: "2026-01-01T00:00:00Z" }),
});

// Other schema libraries, and JSON Schema, which has no static type.
server.tool("n", {
  outputSchema: toStandardJsonSchema(
    v.object({ sky: v.picklist(["clear", "rain"]), pair: v.tuple([v.literal(1), v.string()]) }),
  ),
  handler: () => ({ sky: "clear", pair: [1, "a"] }),
});
server.tool("o", {
  outputSchema: toStandardJsonSchema(
    v.variant("kind", [v.object({ kind: v.literal("a"), a: v.number() }), v.object({ kind: v.literal("b") })]),
  ),
  handler: async () => ({ kind: "a", a: 1 }),
});
server.tool("p", { outputSchema: type({ sky: "'clear' | 'rain'" }), handler: () => ({ sky: "clear" }) });
server.tool("q", {
  outputSchema: type({ kind: "'a'", n: "1 | 2" }).or({ kind: "'b'" }),
  async handler() {
    return { kind: "a", n: 2 };
  },
});
server.tool("r", { outputSchema: { type: "object" }, handler: () => ({ anything: [1, "a"] }) });

// Complete results and input requests beside data.
server.tool("s", {
  outputSchema: weather,
  handler: (_args, ctx) => {
    if (ctx.signal.aborted) return { content: [text("Stopped.")], isError: true };
    if (ctx.state === undefined) return inputRequired({ state: { asked: true } });
    return { sky: "rain" };
  },
});
server.tool("t", {
  outputSchema: weather,
  handler: async () => ({ content: [text("Rain.")], structuredContent: { sky: "rain" } }),
});

// Data that come through `ctx.once`, an elicitation or another function, and tasks.
server.tool("u", { outputSchema: weather, handler: (_args, ctx) => ctx.once("read", () => ({ sky: "clear" })) });
server.tool("v", {
  outputSchema: weather,
  task: "auto",
  handler: async (_args, ctx) => {
    return await ctx.once("read", async () => ({ sky: "clear" }));
  },
});
server.tool("w", {
  outputSchema: weather,
  task: { mode: "always", ttlMs: 60_000 },
  async handler(_args, ctx) {
    const { sky } = await ctx.elicit("How is the sky?", z.object({ sky: z.enum(["clear", "rain"]) }));
    return { sky };
  },
});
server.tool("x", {
  outputSchema: weather,
  handler: async (_args, ctx) => {
    const schema = {
      type: "object",
      properties: { sky: { type: "string", enum: ["clear", "rain"] } },
      required: ["sky"],
    };
    const asked = await ctx.tryElicit("How is the sky?", weather.pick({ sky: true }));
    // @ts-expect-error a schema in a variable has lost its literals: pass it inline, or `as const`
    await ctx.elicit("How is the sky?", schema);
    return asked.action === "accept" ? asked.content : { sky: "clear" };
  },
});

// Values that do not match the schema.
// @ts-expect-error "fog" is none of the values
server.tool("a", { outputSchema: weather, handler: () => ({ sky: "fog" }) });
// @ts-expect-error a required member is missing
server.tool("a", { outputSchema: weather, handler: async () => ({ degrees: 1 }) });
// @ts-expect-error a member of another type
server.tool("a", { outputSchema: weather, handler: () => ({ sky: "rain", degrees: "12" }) });
// @ts-expect-error text is no data
server.tool("a", { outputSchema: weather, handler: () => "rain" });
// @ts-expect-error nothing is no data
server.tool("a", { outputSchema: weather, handler: () => {} });
// @ts-expect-error null is no data
server.tool("a", { outputSchema: weather, handler: () => null });
// @ts-expect-error another member of the union
server.tool("a", { outputSchema: shape, handler: () => ({ kind: "circle", side: 1 }) });
const pair = z.object({ pair: z.tuple([z.string(), z.number()]) });
// @ts-expect-error a tuple of another length
server.tool("a", { outputSchema: pair, handler: () => ({ pair: ["a"] }) });
// @ts-expect-error data of another type in a complete result
server.tool("a", { outputSchema: weather, handler: () => ({ content: [], structuredContent: { sky: "fog" } }) });
// @ts-expect-error the decoded value of a codec
server.tool("a", { outputSchema: z.object({ at: z.string().transform(Number) }), handler: () => ({ at: 1 }) });

// Options made elsewhere.
const made: ToolOptions<undefined, typeof weather> = { outputSchema: weather, handler: () => ({ sky: "clear" }) };
server.tool("made", made);
export function addForecast<Tools>(to: Server<Tools>, outputSchema: typeof weather) {
  return to.tool("forecast", { outputSchema, handler: () => ({ sky: "rain" }) });
}
