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

describe("structured content parsed with the caller's schema (E-69)", () => {
  test("parsed content is typed and has the value of the schema", async () => {
    const client = await connect(server);
    const result = await client.callTool("add", { a: 1, b: 2 }, { output: sum });
    if (result.isError) throw new Error("a sum expected");
    expectTypeOf(result.structuredContent).toEqualTypeOf<{ sum: number }>();
    expect(result.structuredContent.sum).toBe(3);
    const born = await client.callTool("born", {}, { output: z.object({ at: z.coerce.date() }) });
    expect(born.structuredContent).toEqual({ at: new Date("2026-07-28") });
  });

  test("any Standard Schema library can describe the content", async () => {
    const client = await connect(server);
    const result = await client.callTool("add", { a: 1, b: 2 }, { output: type({ sum: "number" }) });
    expect(result.structuredContent).toEqual({ sum: 3 });
  });

  test("the error for invalid content names the place", async () => {
    const client = await connect(server);
    const call = client.callTool("born", {}, { output: z.object({ at: z.number() }) });
    await expect(call).rejects.toMatchObject({ reason: "invalid" });
    await expect(call).rejects.toThrow(/tools\/call to sums: born: structuredContent\/at: /);
  });

  test("a failed tool need not return structured content", async () => {
    const client = await connect(server);
    expect((await client.callTool("fail", {}, { output: sum })).isError).toBe(true);
  });
});
