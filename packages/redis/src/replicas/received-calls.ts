// Requests that other replicas forwarded to this one, which owns their sessions.
import { type Dispatch, McpError, method, refusalOf, toErrorObject } from "@lethe/protocol";
import type { Messaging } from "../messages/messaging.ts";
import { retryUntilAcknowledged } from "../messages/retry-until-acknowledged.ts";
import { createFailureDetector } from "./failure-detector.ts";
import type { CallMessage, FromOwner, Message, ToOwner } from "./message.ts";
import { ReceivedExchange } from "./received-exchange.ts";

export interface ReceivedCallsOptions {
  readonly messaging: Messaging<Message>;
  /** Concurrent calls. */
  readonly maxCalls: number;
  /** A replica that sends nothing for this time has failed, and its calls are aborted, in ms. */
  readonly silenceMs: number;
  /** An endpoint of this replica; undefined when there is none at this path. */
  dispatchAt(path: string): Dispatch | undefined;
  onProblem(problem: string): void;
}

export interface ReceivedCalls {
  receive(from: string, message: ToOwner): void;
  /** Messages to this replica may have been lost. */
  onMessagesLost(): void;
  readonly total: number;
  /** Rejects new calls. Resolves when all running calls are done, or after this time, in ms. */
  drain(graceMs: number): Promise<void>;
  close(): void;
}

interface Running {
  readonly from: string;
  readonly exchange: ReceivedExchange;
  readonly isListening: boolean;
}

const firstPauseMs = 50;
const maxPauseMs = 400;

export function createReceivedCalls(options: ReceivedCallsOptions): ReceivedCalls {
  const { messaging, maxCalls, silenceMs, dispatchAt, onProblem } = options;
  const running = new Map<string, Running>();
  let total = 0;
  let isDraining = false;
  let onDone: (() => void) | undefined;
  const detector = createFailureDetector({ messaging, silenceMs, look, onFailed: (replica) => abortAll(replica) });

  /** A replica that waits for an answer asks about its calls. One that has stopped asking is pinged. */
  function look(): void {
    const senders = new Set([...running.values()].map(({ from }) => from));
    for (const from of senders) {
      if (detector.silenceOf(from) > 2 * detector.everyMs) detector.ping(from, { kind: "answer", unknown: [] });
    }
    if (running.size === 0) detector.end();
  }

  function abortAll(sender?: string): void {
    for (const { from, exchange } of running.values()) if (sender === undefined || from === sender) exchange.abort();
  }

  function receive(from: string, message: ToOwner): void {
    detector.receivedFrom(from);
    switch (message.kind) {
      case "call":
        void begin(from, message);
        break;
      case "abort":
        running.get(keyOf(from, message.call))?.exchange.abort();
        break;
      case "taken":
        running.get(keyOf(from, message.call))?.exchange.taken(message.bytes);
        break;
      case "ask": {
        const unknown = message.calls.filter((call) => !running.has(keyOf(from, call)));
        sendTo(from, { kind: "answer", unknown });
      }
    }
  }

  async function begin(from: string, message: CallMessage): Promise<void> {
    const { call, path, request } = message;
    const dispatch = isDraining ? undefined : dispatchAt(path);
    if (!dispatch) {
      const what = "has its session at a replica of the gateway that takes no more requests";
      return sendTo(from, { kind: "failure", call, reason: "unavailable", what });
    }
    if (running.size >= maxCalls) {
      const what = "has its session at a replica of the gateway that is at its limit";
      return sendTo(from, { kind: "failure", call, reason: "busy", what });
    }
    total += 1;
    const key = keyOf(from, call);
    const exchange = new ReceivedExchange(message, (note) => {
      messaging.send(from, note).catch(() => exchange.taken(note.bytes));
    });
    detector.begin();
    running.set(key, { from, exchange, isListening: request.method === method.listen });
    let answer: FromOwner;
    try {
      answer = { kind: "result", call, result: await dispatch(request, exchange) };
    } catch (error) {
      answer = toFailure(call, error);
    }
    exchange.end();
    // The answer is sent before the call is forgotten, so that `ask` never reports a call without one.
    await deliver(from, answer, exchange);
    running.delete(key);
    if (running.size === 0) onDone?.();
  }

  async function deliver(to: string, answer: FromOwner, exchange: ReceivedExchange): Promise<void> {
    let tooLarge: RangeError | undefined;
    await retryUntilAcknowledged({
      send: () =>
        messaging.send(to, answer).catch((error: unknown) => {
          if (error instanceof RangeError) tooLarge = error;
          return 0;
        }),
      ...{ patienceMs: silenceMs, firstPauseMs, maxPauseMs },
      isOver: () => exchange.isAborted || tooLarge !== undefined,
    });
    if (tooLarge) reportTooLarge(to, answer, tooLarge);
  }

  function sendTo(to: string, message: FromOwner): void {
    messaging.send(to, message).catch(() => {});
  }

  function reportTooLarge(to: string, answer: FromOwner, { message }: RangeError): void {
    if (answer.kind !== "result" && answer.kind !== "error") return;
    onProblem(`the answer to a request of another replica is too large to be forwarded: ${message}`);
    const what = "gave an answer that is too large to be forwarded to another replica of the gateway";
    sendTo(to, { kind: "failure", call: answer.call, reason: "too_large", what });
  }

  return {
    receive,
    onMessagesLost() {
      for (const { exchange } of running.values()) exchange.taken(Number.MAX_SAFE_INTEGER);
    },
    get total() {
      return total;
    },
    async drain(graceMs) {
      isDraining = true;
      for (const { exchange, isListening } of running.values()) if (isListening) exchange.abort();
      if (running.size === 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        onDone = resolve;
        timer = setTimeout(resolve, graceMs);
      });
      clearTimeout(timer);
    },
    close() {
      detector.end();
      abortAll();
    },
  };
}

function toFailure(call: number, thrown: unknown): FromOwner {
  const error = McpError.from(thrown);
  const refusal = refusalOf(error)?.status;
  return { kind: "error", call, error: toErrorObject(error), ...(refusal && { refusal }) };
}

function keyOf(from: string, call: number): string {
  return `${from} ${call}`;
}
