// The middleware example, asked over its fetch handler.
import { describe, expect, it } from "vitest";
import { lines, server } from "./middleware.ts";
import { createWireClient } from "./testing/wire-client.ts";

const client = createWireClient(server.fetch);

describe("middleware", () => {
  it("middleware sees each request and its outcome, and may change results", async () => {
    const { result } = await client.callTool("now");
    expect(result?._meta).toMatchObject({ "example.com/ms": expect.any(Number) });
    expect(lines).toMatchObject([{ method: "tools/call", name: "now", outcome: "complete" }]);
  });

  it("the rate limit rejects requests above it and states when to retry", async () => {
    for (let count = 0; count < 4; count += 1) await client.callTool("now");
    const { status, headers, error } = await client.callTool("now");
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(error?.message).toContain("at most 5 requests");
    expect(lines.at(-1)).toMatchObject({ outcome: "error" });
  });
});
