// The authorization example, asked over its fetch handler.
import { describe, expect, it } from "vitest";
import { server } from "./authorization.ts";
import { createWireClient } from "./testing/wire-client.ts";

const handle = server.fetch;
const reader = createWireClient(handle, { token: "the-key-of-a-reader" });
const writer = createWireClient(handle, { token: "the-key-of-a-writer" });

describe("authorization", () => {
  it("a request without a key or with an unknown key is rejected (G-3)", async () => {
    for (const options of [{}, { token: "the-key-of-nobody" }]) {
      const { status, headers } = await createWireClient(handle, options).ask("tools/list");
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  });

  it("a tool receives the caller's id", async () => {
    expect((await writer.callTool("add_note", { note: "Call Ada" })).status).toBe(200);
    const { result } = await reader.callTool("list_notes");
    expect(result?.content).toMatchObject([{ text: expect.stringMatching(/Call Ada \(key writer\)$/) }]);
  });

  it("the error for a missing scope names the scope (G-4)", async () => {
    const { status, headers } = await reader.callTool("add_note", { note: "Mine" });
    expect(status).toBe(403);
    expect(headers.get("www-authenticate")).toContain('scope="notes:write"');
  });
});
