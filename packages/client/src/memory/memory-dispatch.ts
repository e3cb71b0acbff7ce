// A server in the same process: no transport, but only messages that a transport could carry.
import {
  type Caller,
  type Dispatch,
  type Exchange,
  type KnownOptions,
  McpError,
  type Result,
  toResultText,
} from "@lethe/protocol";
import { orCancelled } from "../call/cancel-signal.ts";
import type { ConnectionEnd } from "../call/connection.ts";
import type { Deadline, TimeLimits } from "../call/deadline.ts";
import { createOpenRequests } from "../call/open-requests.ts";
import { processResponse, toExpectation } from "../call/process-response.ts";

export interface MemoryOptions extends Partial<TimeLimits> {
  /** The caller that the server sees. */
  caller?: Caller;
}

export const knownMemoryOptions: KnownOptions<MemoryOptions> = { caller: true, timeoutMs: true, maxTotalMs: true };

export interface MemoryDispatch {
  readonly dispatch: Dispatch;
  readonly closed: Promise<ConnectionEnd>;
  /** Cancels all open requests. */
  close(): void;
}

/** `name` names the server in errors. */
export function createMemoryDispatch(name: string, serve: Dispatch, options: MemoryOptions = {}): MemoryDispatch {
  const { timeoutMs = 60_000, maxTotalMs = 3_600_000, caller } = options;
  const open = createOpenRequests(name, { timeoutMs, maxTotalMs });

  return {
    async dispatch(request, exchange) {
      const deadline = open.begin(request, exchange);
      try {
        const serving = serve(copy(request), toServerExchange(exchange, deadline, caller)).catch(rethrow);
        const result = JSON.parse(toResultText(await orCancelled(serving, deadline))) as Result;
        const { id } = request;
        return processResponse({ jsonrpc: "2.0", id, result }, toExpectation(name, id, request));
      } finally {
        open.end(deadline);
      }
    },
    closed: open.closed,
    close: () => open.close("closed by the client"),
  };
}

function toServerExchange(exchange: Exchange, deadline: Deadline, caller: Caller | undefined): Exchange {
  let gone: AbortController | undefined;
  return {
    get signal() {
      if (!gone) {
        const controller = new AbortController();
        gone = controller;
        if (deadline.aborted) controller.abort(deadline.reason);
        else deadline.addEventListener("abort", () => controller.abort(deadline.reason));
      }
      return gone.signal;
    },
    caller,
    notify(notification) {
      if (deadline.isOver) return true;
      deadline.touch();
      return exchange.notify(copy(notification));
    },
    drained: () => exchange.drained(),
  };
}

/** Copies through JSON, so that neither side can modify the other's objects. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Converts an error as an edge would: only an McpError leaves a server. */
function rethrow(thrown: unknown): never {
  const { code, message, data } = McpError.from(thrown);
  throw new McpError(code, message, { data });
}
