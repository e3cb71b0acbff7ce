// What the compiler knows of a client whose server was defined with types: this file has little more to run than that the
// calls arrive.
import type { CallToolResult, CreateTaskResult, InputRequiredResult } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { connect as connectInNode } from "../node/connect.ts";
import type { Client } from "./client.ts";
import { connect } from "./connect.ts";
import { createClient } from "./create-client.ts";
import type { ConnectTarget } from "./create-connect.ts";
import type { ParsedToolResult } from "./parse-output.ts";

const quotient = z.object({ quotient: z.number(), remainder: z.number() });

function createCalculator() {
  return createServer({ name: "calculator", version: "1" })
    .tool("divide", {
      inputSchema: z.object({ dividend: z.number(), divisor: z.number().default(2) }),
      outputSchema: quotient,
      handler: ({ dividend, divisor }) => ({ quotient: Math.floor(dividend / divisor), remainder: dividend % divisor }),
    })
    .tool("parse", { inputSchema: z.object({ at: z.string().transform(Number) }), handler: ({ at }) => at })
    .tool("now", { outputSchema: z.object({ ms: z.number() }), handler: () => ({ ms: 0 }) })
    .tool("raw", { inputSchema: { type: "object" }, outputSchema: { type: "object" }, handler: () => ({}) })
    .resource("test://a", { name: "a", handler: () => "a" })
    .tool("last", { handler: () => "" });
}

type Calculator = ReturnType<typeof createCalculator>;

describe("a client of a server in this process", () => {
  it("a client of a server in this process knows the names, arguments and results of its tools", async () => {
    await using client = await connect(createCalculator());
    expectTypeOf(client).toEqualTypeOf<Client<Calculator>>();
    const result = await client.callTool("divide", { dividend: 7, divisor: 2 });
    expectTypeOf(result).toEqualTypeOf<ParsedToolResult<{ quotient: number; remainder: number }>>();
    if (result.isError) throw new Error("it does not fail");
    expectTypeOf(result.structuredContent.quotient).toBeNumber();
    expect(result.structuredContent).toEqual({ quotient: 3, remainder: 1 });
    // What the schema takes, not what the handler gets of it.
    await client.callTool("divide", { dividend: 7 });
    expectTypeOf(await client.callTool("parse", { at: "1" })).toEqualTypeOf<CallToolResult>();
  });

  it("a client of a server in this process requires arguments only for tools that need some", async () => {
    await using client = await connect(createCalculator());
    const now = await client.callTool("now");
    expectTypeOf(now).toEqualTypeOf<ParsedToolResult<{ ms: number }>>();
    await client.callTool("now", {}, { timeoutMs: 1_000 });
    await client.callTool("last");
    // A JSON Schema has no types.
    expectTypeOf(await client.callTool("raw", { anything: 1 })).toEqualTypeOf<CallToolResult>();
    // @ts-expect-error arguments are missing
    await client.callTool("divide");
    // @ts-expect-error an argument is missing
    await client.callTool("divide", {});
    // @ts-expect-error an argument of another type
    await client.callTool("divide", { dividend: "7" });
    // @ts-expect-error a tool without arguments
    await client.callTool("now", { ms: 1 });
    // @ts-expect-error no such tool
    await expect(client.callTool("multiply", {})).rejects.toMatchObject({ code: -32602 });
  });

  it("manual calls return input requests and tasks, and output returns the value of another schema", async () => {
    await using client = await connect(createCalculator());
    const manual = await client.callTool("now", {}, { manual: true });
    expectTypeOf(manual).toEqualTypeOf<ParsedToolResult<{ ms: number }> | InputRequiredResult | CreateTaskResult>();
    const output = z.object({ ms: z.number().transform(String) });
    expectTypeOf(await client.callTool("now", {}, { output })).toEqualTypeOf<ParsedToolResult<{ ms: string }>>();
  });
});

describe("a client of a server elsewhere", () => {
  it("the type of a remote server can be stated", async () => {
    const server = createCalculator();
    const client = createClient<typeof server>((await connect(server)).connection, "calculator");
    expectTypeOf(client).toEqualTypeOf<Client<typeof server>>();
    await client.callTool("now");
    const connecting = connectInNode<Calculator>("ftp://127.0.0.1");
    expectTypeOf<Awaited<typeof connecting>>().toEqualTypeOf<Client<Calculator>>();
    await expect(connecting).rejects.toThrow(TypeError);
  });

  it("a client of a server of unknown type accepts every tool name and any arguments", async () => {
    const target = createCalculator() as ConnectTarget;
    const client = await connect(target);
    expectTypeOf(client).toEqualTypeOf<Client>();
    expectTypeOf(await client.callTool("now")).toEqualTypeOf<CallToolResult>();
    expectTypeOf(await client.callTool("divide", { dividend: "x" })).toEqualTypeOf<CallToolResult>();
    const output = z.object({ ms: z.number() });
    expectTypeOf(await client.callTool("now", {}, { output })).toEqualTypeOf<ParsedToolResult<{ ms: number }>>();
    // @ts-expect-error arguments are an object
    await client.callTool("now", "now").catch(() => {});
    await client.close();
  });

  it("a typed client can be used as a plain Client", async () => {
    const nameOf = async (client: Client): Promise<string> => (await client.listTools())[0]?.name ?? "";
    expect(await nameOf(await connect(createCalculator()))).toBe("divide");
    const server = createServer({ name: "s", version: "1" });
    server.tool("unchained", { handler: () => "x" });
    const client = await connect(server);
    expectTypeOf(await client.callTool("unchained", { any: 1 })).toEqualTypeOf<CallToolResult>();
    const name: string = "late";
    const named = await connect(createServer({ name: "s", version: "1" }).tool(name, { handler: () => "x" }));
    expectTypeOf(await named.callTool("late")).toEqualTypeOf<CallToolResult>();
  });
});
