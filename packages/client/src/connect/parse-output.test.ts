import { createServer } from "@lethe/server";
import { type } from "arktype";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { connect } from "./connect.ts";

const sum = z.object({ sum: z.number() });

const server = createServer({ name: "sums", version: "1.0.0" })
  .tool("add", {
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: sum,
    handler: ({ a, b }) => ({ sum: a + b }),
  })
  .tool("fail", { handler: () => ({ resultType: "complete", content: [], isError: true }) })
  .tool("born", { handler: () => ({ at: "2026-07-28" }) });

describe("structured content that is read with a schema (E-69)", () => {
  test("is typed, and what the schema makes of it", async () => {
    const client = await connect(server);
    const result = await client.callTool("add", { a: 1, b: 2 }, { output: sum });
    if (result.isError) throw new Error("a sum expected");
    expectTypeOf(result.structuredContent).toEqualTypeOf<{ sum: number }>();
    expect(result.structuredContent.sum).toBe(3);
    const born = await client.callTool("born", {}, { output: z.object({ at: z.coerce.date() }) });
    expect(born.structuredContent).toEqual({ at: new Date("2026-07-28") });
  });

  test("may be described by any library", async () => {
    const client = await connect(server);
    const result = await client.callTool("add", { a: 1, b: 2 }, { output: type({ sum: "number" }) });
    expect(result.structuredContent).toEqual({ sum: 3 });
  });

  test("is refused by place where it does not fit", async () => {
    const client = await connect(server);
    const call = client.callTool("born", {}, { output: z.object({ at: z.number() }) });
    await expect(call).rejects.toMatchObject({ reason: "invalid" });
    await expect(call).rejects.toThrow(/tools\/call to sums: born: structuredContent\/at: /);
  });

  test("is not owed by a tool that failed", async () => {
    const client = await connect(server);
    expect((await client.callTool("fail", {}, { output: sum })).isError).toBe(true);
  });
});
