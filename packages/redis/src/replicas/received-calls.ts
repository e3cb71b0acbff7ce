// Requests of callers at other replicas, for sessions that this one keeps.
import { type Dispatch, McpError, method, refusalOf, toErrorObject } from "@lethe/protocol";
import type { Mail } from "./mail.ts";
import type { CallMessage, FromKeeper, ToKeeper } from "./message.ts";
import { ReceivedExchange } from "./received-exchange.ts";

export interface ReceivedCallsOptions {
  readonly mail: Mail;
  /** At a time. */
  readonly maxCalls: number;
  /** An endpoint of this replica; undefined when there is none at this path. */
  dispatchAt(path: string): Dispatch | undefined;
  onProblem(problem: string): void;
}

export interface ReceivedCalls {
  hear(from: string, message: ToKeeper): void;
  readonly total: number;
  /** Takes no more; resolves when those that run are done, or after this time, in ms. */
  drain(graceMs: number): Promise<void>;
  close(): void;
}

interface Running {
  readonly exchange: ReceivedExchange;
  readonly isListening: boolean;
}

export function createReceivedCalls(options: ReceivedCallsOptions): ReceivedCalls {
  const { mail, maxCalls, dispatchAt, onProblem } = options;
  const running = new Map<string, Running>();
  let total = 0;
  let isDraining = false;
  let onDone: (() => void) | undefined;

  function hear(from: string, message: ToKeeper): void {
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
    const exchange = new ReceivedExchange(message, (note) => tell(from, note));
    running.set(key, { exchange, isListening: request.method === method.listen });
    let answer: FromKeeper;
    try {
      answer = { kind: "result", call, result: await dispatch(request, exchange) };
    } catch (error) {
      answer = toFailure(call, error);
    }
    exchange.end();
    // Written before it is forgotten: who asks after it hears the answer first.
    tell(from, answer);
    running.delete(key);
    if (running.size === 0) onDone?.();
  }

  function tell(to: string, message: FromKeeper): void {
    mail.send(to, message).catch((error: unknown) => {
      if (!(error instanceof RangeError)) return;
      if (message.kind !== "result" && message.kind !== "error") return;
      onProblem(`the answer to a request from another replica is too large to be passed on: ${error.message}`);
      const what = "gave an answer that is too large to be passed on to another replica of the gateway";
      tell(to, { kind: "failure", call: message.call, reason: "too_large", what });
    });
  }

  return {
    hear,
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
      for (const { exchange } of running.values()) exchange.abort();
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
