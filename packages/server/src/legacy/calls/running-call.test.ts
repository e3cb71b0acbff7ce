import { revisionNamed } from "@lethe/protocol/revisions";
import { expect, it, vi } from "vitest";
import { pipePeer } from "../sessions/peer.ts";
import { RunningCall } from "./running-call.ts";

const progress = { jsonrpc: "2.0" as const, method: "notifications/progress", params: { progress: 1 } };

const facts = { id: "s", revision: revisionNamed("2025-11-25"), capabilities: {}, clientInfo: undefined };

function createRun() {
  const sink = {
    canAsk: true,
    notify: vi.fn(() => false),
    send: vi.fn(),
    drained: () => new Promise<void>(() => {}),
    disconnect: vi.fn(),
  };
  return { sink, run: new RunningCall(facts, sink, pipePeer) };
}

it("a run that has ended sends nothing, waits for nobody and keeps its connection", async () => {
  for (const how of ["finish", "cancel"] as const) {
    const { sink, run } = createRun();
    expect(run.notify(progress)).toBe(false);
    run[how]();
    expect(run.notify(progress)).toBe(true);
    await run.drained();
    run.disconnect();
    expect([sink.notify.mock.calls.length, sink.disconnect.mock.calls.length]).toEqual([1, 0]);
  }
});

it("whoever comes after a cancellation learns of it at once, and it happens once (J-48)", () => {
  const { run } = createRun();
  const [early, late, withdrawn] = [vi.fn(), vi.fn(), vi.fn()];
  run.onAbort(early);
  run.onStop(withdrawn)();
  run.cancel();
  run.cancel();
  run.onAbort(late);
  expect([early, late, withdrawn].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
  expect(run.signal.aborted).toBe(true);
});

it("a run that has failed can still say so", () => {
  const { run, sink } = createRun();
  const { signal } = run;
  run.fail(new Error("too late"));
  expect([signal.aborted, run.isEnded]).toEqual([true, false]);
  run.notify(progress);
  expect(sink.notify).toHaveBeenCalledOnce();
});
