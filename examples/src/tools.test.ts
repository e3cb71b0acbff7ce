// The tools example, asked over its fetch handler.
import { describe, expect, it } from "vitest";
import { createWireClient } from "./testing/wire-client.ts";
import { server } from "./tools.ts";

const client = createWireClient(server.fetch);

describe("tools", () => {
  it("a result with an output schema is returned as data and as text (E-69)", async () => {
    const { result } = await client.callTool("divide", { dividend: 7, divisor: 2 });
    expect(result).toMatchObject({
      structuredContent: { quotient: 3, remainder: 1 },
      content: [{ type: "text", text: '{"quotient":3,"remainder":1}' }],
    });
  });

  it("the message of a ToolError reaches the caller (E-70)", async () => {
    const { result } = await client.callTool("divide", { dividend: 7, divisor: 0 });
    expect(result).toMatchObject({ isError: true, content: [{ text: "the divisor must not be zero" }] });
  });

  it("arguments are checked by schemas of any library, and by JSON Schema (J-9)", async () => {
    expect((await client.callTool("initials", { name: "Ada King Lovelace" })).result).toMatchObject({
      content: [{ text: "AKL" }],
    });
    expect((await client.callTool("initials", { name: "" })).result).toMatchObject({ isError: true });
    expect((await client.callTool("count_words", { text: "to be or not" })).result).toMatchObject({
      content: [{ text: "4 words" }],
    });
    expect((await client.callTool("count_words")).result).toMatchObject({ isError: true });
  });

  it("the tool list contains each schema as JSON Schema (E-67)", async () => {
    const { result } = await client.ask("tools/list");
    expect(result?.tools).toMatchObject([
      { name: "divide", inputSchema: { type: "object" }, outputSchema: { type: "object" } },
      { name: "initials", inputSchema: { properties: { name: { type: "string", minLength: 1 } } } },
      { name: "count_words", inputSchema: { properties: { text: { type: "string" } }, required: ["text"] } },
    ]);
  });
});
