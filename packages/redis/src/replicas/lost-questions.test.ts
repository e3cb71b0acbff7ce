// A question of a session's owner that does not reach its caller: the owner stops to wait for the answer.

import { type Dispatch, onAbort, type Result } from "@lethe/protocol";
import { type FromOwner, type Message, ReceivedCalls, SentCalls, type ToOwner } from "@lethe/server/forwarding";
import { systemClock } from "@lethe/server/stores";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFakeExchange } from "../../../gateway/src/testing/fakes.ts";
import type { Messaging } from "../messages/messaging.ts";
import { callOf } from "../testing/replicas.ts";
import { toTimings } from "./timings.ts";

const question: Result = { resultType: "input_required", inputRequests: { q1: { method: "roots/list" } } };
const timings = toTimings({});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What Redis does with a message: deliver it, deliver it and then break the connection, or neither. */
type Delivery = "delivers" | "breaks" | "is away";

function startPair(deliveryOf: (message: Message) => Delivery = () => "delivers") {
  const withdrawn: true[] = [];
  let ask: (result: Result) => void = () => {};
  const asked = new Promise<Result>((resolve) => {
    ask = resolve;
  });
  const dispatch: Dispatch = async (_, exchange) => {
    onAbort(exchange, () => void withdrawn.push(true));
    return asked;
  };
  const messagingTo = (receive: (message: Message) => void): Messaging<Message> => ({
    isUp: true,
    counts: { redis: 0, direct: 0 },
    stateOf: () => "ready",
    async send(_, message) {
      const delivery = deliveryOf(message);
      if (delivery !== "is away") receive(message);
      if (delivery !== "delivers") throw new Error("the connection to Redis broke");
      return 1;
    },
    listen: () => Promise.resolve(),
    close: () => Promise.resolve(),
  });
  const common = { clock: systemClock, timings, maxCalls: 100 };
  const owner = new ReceivedCalls({
    ...common,
    messaging: messagingTo((message) => sender.receiveFromOwner("owner", message as FromOwner)),
    dispatchAt: () => dispatch,
    onProblem: () => {},
  });
  const sender = new SentCalls({
    ...common,
    messaging: messagingTo((message) => owner.receiveFromSender("sender", message as ToOwner)),
    onMissed: () => {},
    onRefused: () => {},
    onElsewhere: () => {},
  });
  const exchange = createFakeExchange();
  const answer = sender.send({ replica: "owner", path: "/mcp" }, callOf("ask"), exchange);
  const outcome = answer.then(
    ({ resultType }) => resultType,
    ({ reason }) => reason,
  );
  return { ask: () => ask(question), exchange, outcome, withdrawn };
}

test("a question for a replica that gave up the call is withdrawn", async () => {
  let isBack = false;
  const { ask, outcome, withdrawn } = startPair(({ kind }) => {
    if (kind === "call") return "breaks";
    return isBack ? "delivers" : "is away";
  });
  // The owner, which began the call later, still waits for the replica.
  await vi.advanceTimersByTimeAsync(timings.outageMs + timings.silenceMs * 0.2);
  expect(await outcome).toBe("lost");
  expect(withdrawn).toHaveLength(0);
  isBack = true;
  ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(withdrawn).toHaveLength(1);
});

test("a question is withdrawn when its caller has left before it got the question", async () => {
  const { ask, exchange, outcome, withdrawn } = startPair();
  ask();
  expect(await outcome).toBe("input_required");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(withdrawn).toHaveLength(0);
  exchange.leave();
  expect(withdrawn).toHaveLength(1);
});

test("a question that cannot be delivered during an outage is withdrawn", async () => {
  const { ask, outcome, withdrawn } = startPair(({ kind }) => (kind === "call" ? "delivers" : "is away"));
  ask();
  await vi.advanceTimersByTimeAsync(2 * timings.outageMs);
  expect(await outcome).toBe("lost");
  expect(withdrawn).toHaveLength(1);
});

test("a question that arrived twice is not withdrawn", async () => {
  let results = 0;
  const { ask, outcome, withdrawn } = startPair(({ kind }) => {
    if (kind === "result") results += 1;
    return kind === "result" && results === 1 ? "breaks" : "delivers";
  });
  ask();
  expect(await outcome).toBe("input_required");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(results).toBe(2);
  expect(withdrawn).toHaveLength(0);
});

test("a question waits for its answer although the replica that forwarded the call fails later", async () => {
  const { ask, outcome, withdrawn } = startPair(({ kind }) => (kind === "answer" ? "is away" : "delivers"));
  ask();
  expect(await outcome).toBe("input_required");
  await vi.advanceTimersByTimeAsync(120_000);
  expect(withdrawn).toHaveLength(0);
});
