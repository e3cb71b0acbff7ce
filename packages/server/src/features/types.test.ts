// Type tests of definitions: the compiler checks them; at run time they only have to be accepted.

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createServer } from "../create-server.ts";
import { text } from "./content.ts";
import { inputRequired } from "./input-required.ts";

const info = { name: "s", version: "1" };

describe("types of definitions", () => {
  it("types the arguments by the input schema of any schema library", () => {
    const server = createServer(info)
      .tool("zod", {
        inputSchema: z.object({ id: z.number().default(1), at: z.string().transform((text) => new Date(text)) }),
        handler: (args) => expectTypeOf(args).toEqualTypeOf<{ id: number; at: Date }>() && "",
      })
      .tool("valibot", {
        inputSchema: toStandardJsonSchema(v.object({ id: v.number() })),
        handler: (args) => expectTypeOf(args).toEqualTypeOf<{ id: number }>() && "",
      })
      .tool("arktype", {
        inputSchema: type({ id: "number" }),
        handler: (args) => expectTypeOf(args).toEqualTypeOf<{ id: number }>() && "",
      })
      .tool("json", {
        inputSchema: { type: "object", properties: { id: { type: "number" } } },
        handler: (args) => expectTypeOf(args).toEqualTypeOf<{ [key: string]: unknown }>() && "",
      })
      .tool("none", { handler: (args) => expectTypeOf(args).toEqualTypeOf<Record<string, never>>() && "" });
    expect(server.info).toBe(info);
  });

  it("with an output schema, types the handler to return its data, a full result or input requests", () => {
    const output = z.object({ id: z.number(), note: z.string().optional() });
    createServer(info)
      .tool("a", { outputSchema: output, handler: () => ({ id: 1 }) })
      .tool("b", { outputSchema: output, handler: async () => ({ id: 1, note: "x" }) })
      .tool("c", { outputSchema: output, handler: () => ({ content: [text("x")], structuredContent: { id: 1 } }) })
      .tool("d", { outputSchema: output, handler: () => ({ content: [text("x")], isError: true }) })
      .tool("e", { outputSchema: output, handler: (_, ctx) => (ctx.state ? { id: 1 } : inputRequired({ state: {} })) })
      // @ts-expect-error a member of another type
      .tool("f", { outputSchema: output, handler: () => ({ id: "1" }) })
      // @ts-expect-error a member is missing
      .tool("g", { outputSchema: output, handler: async () => ({ note: "x" }) })
      // @ts-expect-error text is no data
      .tool("h", { outputSchema: output, handler: () => "text" })
      // @ts-expect-error nothing is no data
      .tool("i", { outputSchema: output, handler: () => {} })
      // @ts-expect-error data of another type in a full result
      .tool("j", { outputSchema: output, handler: () => ({ content: [], structuredContent: { id: "1" } }) });
    expectTypeOf(output).not.toBeAny();
  });

  it("without an output schema, lets a handler return text, content, data or nothing", () => {
    createServer(info)
      .tool("text", { handler: () => "text" })
      .tool("nothing", { handler: () => {} })
      .tool("data", { handler: async () => ({ a: [1, 2] }) })
      .tool("block", { handler: () => text("x") })
      .tool("blocks", { handler: async () => [text("x")] })
      .tool("full", { handler: () => ({ content: [], isError: true }) });
  });

  it("takes the variables from the template and completes no other name", () => {
    createServer(info)
      .resourceTemplate("note://{owner}/{+path}{?rev,lang}", {
        complete: { owner: () => ["a"], lang: (value) => [value] },
        handler: (variables) => {
          expectTypeOf(variables.owner).toEqualTypeOf<string>();
          expectTypeOf(variables.path).toEqualTypeOf<string>();
          expectTypeOf(variables.rev).toEqualTypeOf<string | undefined>();
          // @ts-expect-error no such variable
          return variables.id;
        },
      })
      .resourceTemplate("a://{;x}", { handler: ({ x }) => expectTypeOf(x).toEqualTypeOf<string>() && x });
    expect(() =>
      // @ts-expect-error no such variable
      createServer(info).resourceTemplate("a://{id}", { complete: { name: () => [] }, handler: () => "" }),
    ).toThrow('resource template "a://{id}": complete: "name" is none of "id"');
  });

  it("types prompt arguments and their completers by the schema", () => {
    createServer(info).prompt("p", {
      argsSchema: z.object({ topic: z.string(), count: z.coerce.number<string>() }),
      complete: { topic: (value, { arguments: args }) => [value, args.count ?? ""] },
      handler: (args) => expectTypeOf(args).toEqualTypeOf<{ topic: string; count: number }>() && "x",
    });
    expect(() =>
      createServer(info).prompt("p", {
        argsSchema: z.object({ a: z.string() }),
        // @ts-expect-error no such argument
        complete: { b: () => [] },
        handler: () => "",
      }),
    ).toThrow('prompt "p": complete: "b" is none of "a"');
  });
});
