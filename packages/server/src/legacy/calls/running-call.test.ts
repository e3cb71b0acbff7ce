// How a call of a legacy session ends.
import { revisionNamed } from "@lethe/protocol/revisions";
import { expect, it, vi } from "vitest";
import { stdioPeer } from "../shared/legacy-context.ts";
import { RunningCall } from "./running-call.ts";

const progress = { jsonrpc: "2.0" as const, method: "notifications/progress", params: { progress: 1 } };

const facts = { id: "s", revision: revisionNamed("2025-11-25"), capabilities: {}, clientInfo: undefined };

function createRun() {
  const sink = {
    canRequestInput: true,
    notify: vi.fn(() => false),
    send: vi.fn(),
    drained: () => new Promise<void>(() => {}),
    disconnect: vi.fn(),
  };
  return { sink, call: new RunningCall(facts, sink, stdioPeer) };
}

it("a call that has ended sends nothing, waits for no reader and keeps its connection", async () => {
  for (const how of ["finish", "cancel"] as const) {
    const { sink, call } = createRun();
    expect(call.notify(progress)).toBe(false);
    call[how]();
    expect(call.notify(progress)).toBe(true);
    await call.drained();
    call.disconnect();
    expect([sink.notify.mock.calls.length, sink.disconnect.mock.calls.length]).toEqual([1, 0]);
  }
});

it("a cancellation runs each callback once, and a late callback immediately (J-48)", () => {
  const { call } = createRun();
  const [early, late, withdrawn] = [vi.fn(), vi.fn(), vi.fn()];
  call.onAbort(early);
  call.onStop(withdrawn)();
  call.cancel();
  call.cancel();
  call.onAbort(late);
  expect([early, late, withdrawn].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
  expect(call.signal.aborted).toBe(true);
});

it("a call that has failed can still send notifications", () => {
  const { call, sink } = createRun();
  const { signal } = call;
  call.fail(new Error("too late"));
  expect([signal.aborted, call.isEnded]).toEqual([true, false]);
  call.notify(progress);
  expect(sink.notify).toHaveBeenCalledOnce();
});
