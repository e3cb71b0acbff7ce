// What becomes of forwarded requests at a replica that stops.
import type { Dispatch, ModernRequest, Result } from "@lethe/protocol";
import { expect, test } from "vitest";
import { createManualClock } from "../../testing/manual-clock.ts";
import type { CallMessage, Message } from "./message.ts";
import { ReceivedCalls } from "./received-calls.ts";

const done: Result = { resultType: "complete", content: [] };
const request = { id: "1", method: "tools/call", params: { name: "tool" } } as unknown as ModernRequest;
const call = (number: number): CallMessage => ({ kind: "call", call: number, path: "/mcp", request, hops: 1 });
const refused = (number: number) => expect.objectContaining({ kind: "failure", call: number, reason: "unavailable" });
const never = new Promise<never>(() => {});

function setUp(dispatch: Dispatch = async () => done) {
  const clock = createManualClock();
  const sent: Message[] = [];
  const send = async (_: string, message: Message) => sent.push(message);
  const calls = new ReceivedCalls({
    ...{ messaging: { stateOf: () => "ready", send }, clock, maxCalls: 10, onProblem() {} },
    ...{ timings: { silenceMs: 4_000, outageMs: 20_000 }, dispatchAt: () => dispatch },
  });
  return { clock, sent, calls };
}

test("a replica that stops rejects forwarded calls as soon as its sessions are released", async () => {
  const { clock, sent, calls } = setUp();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const drained = calls.drain({ released, expiresMs: 5_000 }, 2_000);
  calls.receiveFromSender("other", call(1));
  await clock.advance(500);
  expect(sent).toEqual([]);
  release();
  await drained;
  await clock.advance(0);
  expect(sent).toEqual([refused(1)]);
});

test.each([
  { what: "until its grace time is over", graceMs: 2_000, expiresMs: 5_000, atMs: 2_000 },
  { what: "until its lease is over", graceMs: 30_000, expiresMs: 3_000, atMs: 3_000 },
  { what: "for a second if it has no grace time", graceMs: 0, expiresMs: 5_000, atMs: 1_000 },
])("a replica whose sessions cannot be released delays the rejection of forwarded calls $what", async (times) => {
  const { graceMs, expiresMs, atMs } = times;
  const { clock, sent, calls } = setUp();
  let isDrained = false;
  void calls.drain({ released: never, expiresMs }, graceMs).then(() => {
    isDrained = true;
  });
  calls.receiveFromSender("other", call(1));
  await clock.advance(atMs - 1);
  expect([sent, isDrained]).toEqual([[], false]);
  await clock.advance(1);
  expect([sent, isDrained]).toEqual([[refused(1)], true]);
});

test("a running call has the grace time to finish, also while the sessions cannot be released", async () => {
  const { clock, calls } = setUp(() => never);
  calls.receiveFromSender("other", call(1));
  let isDrained = false;
  void calls.drain({ released: never, expiresMs: 3_000 }, 10_000).then(() => {
    isDrained = true;
  });
  await clock.advance(9_999);
  expect(isDrained).toBe(false);
  await clock.advance(1);
  expect(isDrained).toBe(true);
});
