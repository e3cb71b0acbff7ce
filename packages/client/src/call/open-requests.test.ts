import type { Exchange, ModernRequest } from "@lethe/protocol";
import { expect, test } from "vitest";
import { createOpenRequests } from "./open-requests.ts";

const request = { id: 1, method: "tools/call", params: { _meta: {} } } as unknown as ModernRequest;
const limits = { timeoutMs: 1_000, maxTotalMs: 1_000 };

test("an exchange that reports cancellation without a signal gets no signal, and ends its request", () => {
  let tell: () => void = () => {};
  const exchange: Exchange = {
    get signal(): AbortSignal {
      throw new Error("no longer needed");
    },
    onAbort(callback) {
      tell = callback;
    },
    caller: undefined,
    notify: () => true,
    drained: async () => {},
  };
  const open = createOpenRequests("s", limits);
  const first = open.begin(request, exchange);
  tell();
  expect(first.reason).toMatchObject({ reason: "cancelled", message: "tools/call to s: cancelled by the caller" });
  const second = open.begin(request, exchange);
  open.end(second);
  tell();
  expect(second.aborted).toBe(false);
});

test("a request of a caller that has already cancelled ends at once", () => {
  const exchange: Exchange = {
    signal: AbortSignal.abort(),
    onAbort: (callback) => callback(),
    caller: undefined,
    notify: () => true,
    drained: async () => {},
  };
  expect(createOpenRequests("s", limits).begin(request, exchange).aborted).toBe(true);
});
