// The prompts example, asked over its fetch handler.
import { describe, expect, it } from "vitest";
import { server } from "./prompts.ts";
import { createWireClient } from "./testing/wire-client.ts";

const client = createWireClient(server.fetch);

describe("prompts", () => {
  it("the prompt list contains the arguments and marks required ones (E-82)", async () => {
    const { result } = await client.ask("prompts/list");
    expect(result?.prompts).toMatchObject([
      {
        name: "review",
        arguments: [
          { name: "code", description: "What to review", required: true },
          { name: "language", required: true },
          { name: "depth", required: false },
        ],
      },
      { name: "greet" },
    ]);
  });

  it("prompts/get returns messages", async () => {
    const { result } = await client.ask("prompts/get", {
      name: "review",
      arguments: { code: "fn main() {}", language: "rust" },
    });
    expect(result?.messages).toMatchObject([
      { role: "user", content: { type: "text", text: "Please give me a quick review of this rust code." } },
      { role: "user", content: { type: "resource", resource: { text: "fn main() {}" } } },
    ]);
    const greeting = await client.ask("prompts/get", { name: "greet", arguments: { name: "Ada" } });
    expect(greeting.result?.messages).toMatchObject([{ content: { text: "Please greet Ada warmly." } }]);
  });

  it("invalid prompt arguments are rejected (E-82)", async () => {
    const args = { code: "x", language: "cobol" };
    expect((await client.ask("prompts/get", { name: "review", arguments: args })).error?.code).toBe(-32602);
  });

  it("completion/complete completes a prompt argument (E-60)", async () => {
    const { result } = await client.ask("completion/complete", {
      ref: { type: "ref/prompt", name: "review" },
      argument: { name: "language", value: "ty" },
    });
    expect(result?.completion).toMatchObject({ values: ["typescript"] });
  });
});
