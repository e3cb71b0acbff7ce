// Requests of callers at other replicas, for sessions that this one keeps.
import { type Dispatch, McpError, method, refusalOf, toErrorObject } from "@lethe/protocol";
import type { Mail } from "../mail/mail.ts";
import { untilHeard } from "../mail/until-heard.ts";
import type { CallMessage, FromKeeper, Message, ToKeeper } from "./message.ts";
import { ReceivedExchange } from "./received-exchange.ts";
import { createVigil } from "./vigil.ts";

export interface ReceivedCallsOptions {
  readonly mail: Mail<Message>;
  /** At a time. */
  readonly maxCalls: number;
  /** A replica that says nothing for so long is taken for gone, and its callers with it, in ms. */
  readonly silenceMs: number;
  /** An endpoint of this replica; undefined when there is none at this path. */
  dispatchAt(path: string): Dispatch | undefined;
  onProblem(problem: string): void;
}

export interface ReceivedCalls {
  hear(from: string, message: ToKeeper): void;
  /** Something that was sent to this replica may be lost. */
  missedSome(): void;
  readonly total: number;
  /** Takes no more; resolves when those that run are done, or after this time, in ms. */
  drain(graceMs: number): Promise<void>;
  close(): void;
}

interface Running {
  readonly from: string;
  readonly exchange: ReceivedExchange;
  readonly isListening: boolean;
}

/** ms. */
const firstPauseMs = 50;
const maxPauseMs = 400;

export function createReceivedCalls(options: ReceivedCallsOptions): ReceivedCalls {
  const { mail, maxCalls, silenceMs, dispatchAt, onProblem } = options;
  const running = new Map<string, Running>();
  let total = 0;
  let isDraining = false;
  let onDone: (() => void) | undefined;
  const vigil = createVigil({ mail, silenceMs, look, onGone: (replica) => abortAll(replica) });

  /** Whoever waits for an answer asks after it: one that does not, any more, is asked whether it is there. */
  function look(): void {
    const senders = new Set([...running.values()].map(({ from }) => from));
    for (const from of senders) {
      if (vigil.silenceOf(from) > 2 * vigil.everyMs) vigil.ping(from, { kind: "answer", unknown: [] });
    }
    if (running.size === 0) vigil.end();
  }

  function abortAll(sender?: string): void {
    for (const { from, exchange } of running.values()) if (sender === undefined || from === sender) exchange.abort();
  }

  function hear(from: string, message: ToKeeper): void {
    vigil.heardOf(from);
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
        tell(from, { kind: "answer", unknown });
      }
    }
  }

  async function begin(from: string, message: CallMessage): Promise<void> {
    const { call, path, request } = message;
    const dispatch = isDraining ? undefined : dispatchAt(path);
    if (!dispatch) {
      const what = "has its session at a replica of the gateway that takes no more requests";
      return tell(from, { kind: "failure", call, reason: "unavailable", what });
    }
    if (running.size >= maxCalls) {
      const what = "has its session at a replica of the gateway that has too much to do";
      return tell(from, { kind: "failure", call, reason: "busy", what });
    }
    total += 1;
    const key = keyOf(from, call);
    const exchange = new ReceivedExchange(message, (note) => {
      mail.send(from, note).catch(() => exchange.taken(note.bytes));
    });
    vigil.begin();
    running.set(key, { from, exchange, isListening: request.method === method.listen });
    let answer: FromKeeper;
    try {
      answer = { kind: "result", call, result: await dispatch(request, exchange) };
    } catch (error) {
      answer = toFailure(call, error);
    }
    exchange.end();
    // Before it is forgotten: who asks after it hears the answer first.
    await deliver(from, answer, exchange);
    running.delete(key);
    if (running.size === 0) onDone?.();
  }

  async function deliver(to: string, answer: FromKeeper, exchange: ReceivedExchange): Promise<void> {
    let tooLarge: RangeError | undefined;
    await untilHeard({
      send: () =>
        mail.send(to, answer).catch((error: unknown) => {
          if (error instanceof RangeError) tooLarge = error;
          return 0;
        }),
      ...{ patienceMs: silenceMs, firstPauseMs, maxPauseMs },
      isOver: () => exchange.isAborted || tooLarge !== undefined,
    });
    if (tooLarge) tellTooLarge(to, answer, tooLarge);
  }

  function tell(to: string, message: FromKeeper): void {
    mail.send(to, message).catch(() => {});
  }

  function tellTooLarge(to: string, answer: FromKeeper, { message }: RangeError): void {
    if (answer.kind !== "result" && answer.kind !== "error") return;
    onProblem(`the answer to a request from another replica is too large to be passed on: ${message}`);
    const what = "gave an answer that is too large to be passed on to another replica of the gateway";
    tell(to, { kind: "failure", call: answer.call, reason: "too_large", what });
  }

  return {
    hear,
    missedSome() {
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
      vigil.end();
      abortAll();
    },
  };
}

function toFailure(call: number, thrown: unknown): FromKeeper {
  const error = McpError.from(thrown);
  const refusal = refusalOf(error)?.status;
  return { kind: "error", call, error: toErrorObject(error), ...(refusal && { refusal }) };
}

function keyOf(from: string, call: number): string {
  return `${from} ${call}`;
}
