// One subscriptions/listen request from beginning to end (E.2).
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
  /** How long the acknowledgement may take, in milliseconds. */
  readonly ackTimeoutMs: number;
  onChange(change: Change): void;
}

export interface ListenStream {
  /** What the server grants; rejects when the stream ends before it says so. */
  readonly acknowledged: Promise<ListenFilter>;
  /** How it ended (J-1): undefined when the server or we closed it in order, else the error that broke it. */
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
  /** The reactions to the acknowledgement have run. */
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
    // It came in one piece with the acknowledgement.
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

/** the id keeps its type, and 0 is one like any other (J-20). */
function isTagged({ params }: JsonRpcNotification, id: RequestId): boolean {
  return isJsonObject(params?._meta) && params._meta[metaKey.subscriptionId] === id;
}
