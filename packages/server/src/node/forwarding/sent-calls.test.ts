// What becomes of forwarded requests when the shared store between two replicas stands still, loses messages or is away.
import type { Dispatch, ModernRequest, Result } from "@lethe/protocol";
import { expect, it } from "vitest";
import { createManualClock } from "../../testing/manual-clock.ts";
import type { FromOwner, Message, ToOwner } from "./message.ts";
import { ReceivedCalls } from "./received-calls.ts";
import { SentCalls } from "./sent-calls.ts";

const done: Result = { resultType: "complete", content: [] };
const request = { id: "1", method: "tools/call", params: { name: "tool" } } as unknown as ModernRequest;
const timings = { silenceMs: 2_000, outageMs: 10_000 };

/** `isAway`: commands are rejected. `delays`: messages are delivered when `deliver` is called, although their commands were rejected. */
interface Store {
  isAway: boolean;
  delays: boolean;
  loses: boolean;
  /** Messages wait for this time, in ms, and are lost then. */
  holdsMs: number;
}

function setUp(dispatch: Dispatch = async () => done) {
  const clock = createManualClock();
  const store: Store = { isAway: false, delays: false, loses: false, holdsMs: 0 };
  const late: (() => void)[] = [];
  let runs = 0;
  const carrierTo = (receive: (message: Message) => void) => ({
    stateOf: () => "ready" as const,
    async send(_: string, message: Message) {
      if (store.delays) late.push(() => receive(message));
      if (store.isAway || store.delays) throw new Error("no answer in time");
      if (store.holdsMs > 0) return new Promise<number>((resolve) => clock.after(store.holdsMs, () => resolve(1)));
      if (!store.loses) receive(message);
      return 1;
    },
  });
  const common = { clock, timings, maxCalls: 10 };
  const owner = new ReceivedCalls({
    ...common,
    messaging: carrierTo((message) => sender.receiveFromOwner("owner", message as FromOwner)),
    dispatchAt: () => (received, exchange) => {
      runs += 1;
      return dispatch(received, exchange);
    },
    onProblem() {},
  });
  const sender = new SentCalls({
    ...common,
    messaging: carrierTo((message) => owner.receiveFromSender("sender", message as ToOwner)),
    ...{ onMissed() {}, onRefused() {}, onElsewhere() {} },
  });
  function call() {
    const signal = new AbortController().signal;
    const exchange = { caller: undefined, notify: () => true, drained: async () => {}, signal };
    const outcome: { result?: Result; error?: { reason?: string; message: string } } = {};
    sender.send({ replica: "owner", path: "/mcp" }, request, exchange).then(
      (result) => {
        outcome.result = result;
      },
      (error: Error) => {
        outcome.error = error;
      },
    );
    return outcome;
  }
  return { clock, store, sender, call, runs: () => runs, deliver: () => late.splice(0).map((run) => run()) };
}

/** A call that runs at the owner until `finish` is called. */
async function startCall() {
  let finish = (_: Result): void => {};
  const { clock, store, call, runs } = setUp(
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  const outcome = call();
  await clock.advance(0);
  return { clock, store, outcome, runs, finish: () => finish(done) };
}

it("a call whose message the store delivers after its command has timed out gets its result", async () => {
  const { clock, store, call, runs, deliver } = setUp();
  store.delays = true;
  const outcome = call();
  await clock.advance(5_000);
  expect(outcome).toEqual({});
  store.delays = false;
  deliver();
  await clock.advance(1_000);
  expect([outcome, runs()]).toEqual([{ result: done }, 1]);
});

it("a call that was lost on its way to the owner has not started", async () => {
  const { clock, store, call, runs } = setUp();
  store.isAway = true;
  const outcome = call();
  await clock.advance(5_000);
  store.isAway = false;
  await clock.advance(1_000);
  expect(outcome.error).toMatchObject({ reason: "unavailable", message: expect.stringContaining("did not reach") });
  expect(runs()).toBe(0);
});

it("a call whose answer was lost on its way may have run, and its error says so", async () => {
  const { clock, store, outcome, runs, finish } = await startCall();
  store.loses = true;
  finish();
  await clock.advance(0);
  store.loses = false;
  await clock.advance(1_000);
  const message = expect.stringMatching(/request or its answer was lost .* may have been carried out/);
  expect(outcome.error).toMatchObject({ reason: "lost", message });
  expect(runs()).toBe(1);
});

it("an answer that the store held back and delivered to a connection that had ended is sent again", async () => {
  const { clock, store, outcome, runs, finish } = await startCall();
  store.holdsMs = 4_000;
  finish();
  await clock.advance(3_000);
  store.holdsMs = 0;
  await clock.advance(2_000);
  expect([outcome, runs()]).toEqual([{ result: done }, 1]);
});

it("the error of a call that the store cut off from its owner blames the store, and not the owner", async () => {
  const { clock, store, call } = setUp(() => new Promise(() => {}));
  const outcome = call();
  await clock.advance(1_000);
  store.isAway = true;
  await clock.advance(timings.outageMs);
  expect(outcome).toEqual({});
  await clock.advance(1_000);
  expect(outcome.error).toMatchObject({ reason: "lost", message: expect.stringContaining("shared store") });
  expect(outcome.error?.message).not.toContain("has failed");
});

it("a call continues although its owner had no lease when the store continued, unless the owner is silent then", async () => {
  const { clock, store, sender, call } = setUp(() => new Promise(() => {}));
  const outcome = call();
  await clock.advance(1_000);
  store.isAway = true;
  await clock.advance(4_000);
  store.isAway = false;
  sender.onLeaseLost("owner");
  await clock.advance(5_000);
  expect(outcome).toEqual({});
  store.loses = true;
  sender.onLeaseLost("owner");
  await clock.advance(800);
  expect(outcome.error).toMatchObject({ reason: "lost", message: expect.stringContaining("has failed") });
});
