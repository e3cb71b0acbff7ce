import type { GatewayView, UpstreamView } from "@lethe/gateway";
import { expect, it } from "vitest";
import { toFailedServers } from "./failed-servers.ts";

function served(...upstreams: Partial<UpstreamView>[]): { view(): GatewayView } {
  return { view: () => ({ upstreams, sessions: [], pendingCalls: [], tasks: [] }) as unknown as GatewayView };
}

it("names each server that did not start with its reason, and no idle one", () => {
  const up = { name: "up", state: "ready" } as const;
  const idle = { name: "idle", state: "idle" } as const;
  expect(toFailedServers(served(up, idle))).toBeUndefined();
  const failed = toFailedServers(
    served(
      up,
      { name: "a", state: "failed", reason: "its command ended with exit code 3" },
      { name: "b", state: "failed" },
    ),
  );
  expect(failed).toBe(
    "a did not start: its command ended with exit code 3\n       b did not start: it does not answer",
  );
});
