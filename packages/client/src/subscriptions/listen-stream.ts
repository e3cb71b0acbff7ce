// One subscriptions/listen request from start to end (E.2).
import {
  type Dispatch,
  isJsonObject,
  type JsonRpcNotification,
  type ListenFilter,
  metaKey,
  method,
  notificationMethod,
  type RequestId,
} from "@lethe/protocol";
import type { RequestBuilder } from "../call/build-request.ts";
import { createExchange } from "../call/exchange.ts";
import { TransportError } from "../call/transport-error.ts";
import { type Change, toChange, toHonoured } from "./change.ts";

export interface ListenStreamOptions {
  readonly dispatch: Dispatch;
  readonly build: RequestBuilder["build"];
  readonly filter: ListenFilter;
  /** Time limit for the acknowledgement, in ms. */
  readonly ackTimeoutMs: number;
  onChange(change: Change): void;
}

export interface ListenStream {
  /** The granted filter. Rejects if the stream ends before the acknowledgement. */
  readonly acknowledged: Promise<ListenFilter>;
  // J-1
  /** Resolves with undefined if the server or this client closed the stream, else with the error that broke it. */
  readonly ended: Promise<unknown>;
  close(): void;
}

export function openListenStream(options: ListenStreamOptions): ListenStream {
  const { dispatch, build, filter, ackTimeoutMs, onChange } = options;
  const controller = new AbortController();
  const request = build(method.listen, { notifications: filter });
  let acknowledge: (honoured: ListenFilter) => void = () => {};
  let refuse: (error: unknown) => void = () => {};
  const acknowledged = new Promise<ListenFilter>((resolve, reject) => {
    acknowledge = resolve;
    refuse = reject;
  });
  let isAcknowledged = false;
  /** True once the reactions to the acknowledgement have run. */
  let isStarted = false;
  acknowledged.then(
    () => {
      isStarted = true;
    },
    () => {},
  );
  let isClosed = false;
  let failure: unknown;

  function end(reason?: unknown): void {
    if (isClosed) return;
    isClosed = true;
    failure = reason;
    controller.abort();
  }

  function hear(notification: JsonRpcNotification): void {
    if (isClosed) return;
    if (notification.method === notificationMethod.cancelled) {
      if (notification.params?.requestId === request.id) end();
      return;
    }
    if (!isTagged(notification, request.id)) return;
    if (notification.method === notificationMethod.acknowledged) {
      clearTimeout(ackTimer);
      isAcknowledged = true;
      acknowledge(toHonoured(notification.params));
      return;
    }
    const change = toChange(notification);
    if (!change) return;
    if (isStarted) onChange(change);
    // It arrived in one chunk with the acknowledgement.
    else if (isAcknowledged) void acknowledged.then(() => deliver(change));
  }

  function deliver(change: Change): void {
    if (!isClosed) onChange(change);
  }

  const ackTimer = setTimeout(() => {
    end(new TransportError("timeout", `${method.listen}: no acknowledgement within ${ackTimeoutMs} ms`));
  }, ackTimeoutMs);

  async function run(): Promise<unknown> {
    try {
      await dispatch(request, createExchange({ signal: controller.signal, onNotification: hear }));
      return undefined;
    } catch (error) {
      return isClosed ? failure : error;
    } finally {
      isClosed = true;
      clearTimeout(ackTimer);
    }
  }

  const ended = run().then((error) => {
    refuse(error ?? new TransportError("lost", `${method.listen}: the subscription ended before it was acknowledged`));
    return error;
  });
  return { acknowledged, ended, close: () => end() };
}

// the id keeps its type, and 0 is a valid id (J-20).
function isTagged({ params }: JsonRpcNotification, id: RequestId): boolean {
  return isJsonObject(params?._meta) && params._meta[metaKey.subscriptionId] === id;
}
