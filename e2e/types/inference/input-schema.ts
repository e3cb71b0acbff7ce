// Handlers get the parsed arguments; misspelt options are errors.

import { createServer } from "@lethe/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

const server = createServer({ name: "types", version: "1.0.0" });
/** Accepts only a value of exactly this type. */
declare function exactly<Expected>(): <T>(
  value: (<X>() => X extends T ? 1 : 2) extends <X>() => X extends Expected ? 1 : 2 ? T : never,
) => string;

const when = z.codec(z.iso.datetime(), z.date(), { decode: (at) => new Date(at), encode: (at) => at.toISOString() });
server.tool("zod", {
  inputSchema: z.object({
    when,
    id: z.number().default(1),
    count: z.string().transform(Number),
    sky: z.enum(["a", "b"]),
  }),
  handler: (args) => exactly<{ when: Date; id: number; count: number; sky: "a" | "b" }>()(args),
});
server.tool("valibot", {
  inputSchema: toStandardJsonSchema(v.object({ id: v.optional(v.number(), 1), kind: v.picklist(["a", "b"]) })),
  handler: (args) => exactly<{ id: number; kind: "a" | "b" }>()(args),
});
server.tool("arktype", {
  inputSchema: type({ id: "number", kind: "'a' | 'b'" }),
  handler: (args) => exactly<{ id: number; kind: "a" | "b" }>()(args),
});
server.tool("json", {
  inputSchema: { type: "object", properties: { id: { type: "number" } } },
  handler: (args) => exactly<unknown>()(args.id),
});
server.tool("union", {
  inputSchema: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), a: z.number() }),
    z.object({ kind: z.literal("b"), b: z.string() }),
  ]),
  handler: (args) => (args.kind === "a" ? args.a.toFixed() : args.b.trim()),
});

// @ts-expect-error the handler gets a Date, which has no method of text
server.tool("a", { inputSchema: z.object({ when }), handler: ({ when }) => when.trim() });
// @ts-expect-error there is no such argument
server.tool("a", { inputSchema: z.object({ id: z.number() }), handler: ({ nme }) => nme });
// @ts-expect-error a tool without an input schema has no arguments
server.tool("a", { handler: (args) => args.id.toFixed() });

// Misspelt options. The compiler suggests the right name.
// @ts-expect-error inputSchema
server.tool("a", { inputSchma: z.object({}), handler: () => "" });
// @ts-expect-error outputSchema
server.tool("a", { outputSchma: z.object({}), handler: () => "" });
// @ts-expect-error handler
server.tool("a", { run: () => "" });
// @ts-expect-error no handler
server.tool("a", { inputSchema: z.object({}) });
// @ts-expect-error description
server.tool("a", { descripton: "", handler: () => "" });
// @ts-expect-error annotations.readOnlyHint
server.tool("a", { annotations: { readOnly: true }, handler: () => "" });
// @ts-expect-error no mode of tasks
server.tool("a", { task: "sometimes", handler: () => "" });

// Prompts.
server.prompt("p", {
  argsSchema: z.object({ topic: z.string(), tone: z.enum(["dry", "warm"]), count: z.coerce.number<string>() }),
  complete: { topic: (value) => [value], tone: () => ({ values: ["dry"], total: 2 }) },
  handler: (args) => exactly<{ topic: string; tone: "dry" | "warm"; count: number }>()(args),
});
server.prompt("q", {
  argsSchema: toStandardJsonSchema(v.object({ topic: v.string() })),
  complete: { topic: async (value, { arguments: args, signal }) => [value, args.topic ?? "", String(signal.aborted)] },
  handler: async ({ topic }) => ({ messages: [{ role: "user", content: { type: "text", text: topic } }] }),
});
server.prompt("r", {
  argsSchema: type({ topic: "string" }),
  handler() {
    return [{ role: "assistant", content: { type: "text", text: "hi" } }];
  },
});
// @ts-expect-error no such argument
server.prompt("s", { argsSchema: z.object({ a: z.string() }), complete: { b: () => [] }, handler: () => "" });
// @ts-expect-error no such role
server.prompt("s", { handler: () => ({ messages: [{ role: "system", content: { type: "text", text: "" } }] }) });
// @ts-expect-error a prompt has argsSchema, no inputSchema
server.prompt("s", { inputSchema: z.object({}), handler: () => "" });

// Resources and templates.
server.resource("note://a", { handler: () => "text" });
server.resource("note://b", {
  mimeType: "application/json",
  handler: async () => ({ contents: [{ uri: "note://b", text: "{}" }] }),
});
// @ts-expect-error a number is no content
server.resource("note://c", { handler: () => 1 });
// @ts-expect-error mimeType
server.resource("note://c", { mimetype: "text/plain", handler: () => "" });
server.resourceTemplate("note://{owner}/{+path}{?rev,lang}", {
  complete: { owner: () => ["a"], lang: async (value) => [value] },
  handler: ({ owner, path, rev }, ctx) =>
    exactly<string>()(owner) + exactly<string>()(path) + exactly<string | undefined>()(rev) + ctx.trace,
});
// @ts-expect-error no such variable
server.resourceTemplate("note://{id}", { complete: { name: () => [] }, handler: () => "" });
// @ts-expect-error no such variable
server.resourceTemplate("note://{id}", { handler: ({ name }) => name });

// Elicitation.
server.tool("elicit", {
  handler: async (_args, ctx) => {
    const zod = await ctx.elicit("?", z.object({ size: z.enum(["s", "m"]), n: z.number().optional() }));
    exactly<{ size: "s" | "m"; n?: number | undefined }>()(zod);
    const ark = await ctx.elicit("?", type({ size: "'s' | 'm'" }));
    exactly<{ size: "s" | "m" }>()(ark);
    const val = await ctx.elicit("?", toStandardJsonSchema(v.object({ size: v.picklist(["s", "m"]) })));
    exactly<{ size: "s" | "m" }>()(val);
    const { size, note } = await ctx.elicit("?", {
      type: "object",
      properties: { size: { type: "string", enum: ["s", "m"] }, note: { type: "string" } },
      required: ["size"],
    });
    exactly<"s" | "m">()(size);
    exactly<string | undefined>()(note);
    const answer = await ctx.tryElicit("?", z.object({ ok: z.boolean() }));
    if (answer.action === "accept") exactly<boolean>()(answer.content.ok);
    // @ts-expect-error a declined form has no content
    else answer.content;
    // @ts-expect-error the key is an option
    await ctx.elicit("?", z.object({}), "key");
    // @ts-expect-error a form has primitive fields
    await ctx.elicit("?", { type: "object", properties: { a: { type: "object" } } });
    const number = await ctx.once("n", () => 1);
    exactly<number>()(number);
    const sampled = await ctx.sample({
      messages: [{ role: "user", content: { type: "text", text: "" } }],
      maxTokens: 1,
    });
    return sampled.model;
  },
});
