import type { Dispatch, ModernRequest } from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { expect, it, vi } from "vitest";
import { createFakeExchange } from "../testing/fakes.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { createForwardToOwner } from "./forward-to-owner.ts";
import type { ForwardedCall } from "./forwarded-call.ts";

const result = { resultType: "complete", content: [] };

it("names the session for which it reaches the owner, so that the directory learns whether that replica still owns it", async () => {
  const peer: Dispatch = async () => result;
  const reach = vi.fn(() => peer);
  const directory: Directory = { self: "one", acquire: () => ({ owner: "two" }), release: () => {}, reach };
  const request = { id: 1, method: "tools/call", params: {} } as unknown as ModernRequest;
  const sessions = { name: "up" } as UpstreamSessions;
  const call: ForwardedCall = { target: { sessions }, request, exchange: createFakeExchange() };
  const forward = createForwardToOwner(directory, "/mcp");
  expect(await forward(call, { replica: "two", key: "up caller ann" })).toEqual({ result });
  expect(reach).toHaveBeenCalledExactlyOnceWith("two", "/mcp", "up caller ann");
});
