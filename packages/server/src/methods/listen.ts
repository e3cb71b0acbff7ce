// subscriptions/listen (E.2): the hub answers when the subscription ends. Changes of resources and tasks of mounted servers come from
// streams to those servers, which are open as long as the subscription.
import {
  type Dispatch,
  type Exchange,
  type JsonObject,
  type JsonRpcNotification,
  type ListenFilter,
  type ModernRequest,
  method,
  notificationMethod,
  onAbort,
  type RequestId,
  withSubscriptionId,
} from "@lethe/protocol";
import { findTemplate } from "../features/registry.ts";
import { sendAs } from "./forward-request.ts";
import type { Method } from "./method.ts";
import { findMountedTask, isMountedTaskId, withTaskId } from "./mounted-task.ts";
import type { ServerParts } from "./server-parts.ts";

export const listen: Method = {
  answer(parts, request, exchange) {
    return parts.hasMounts() ? listenWithMounts(parts, request, exchange) : parts.hub.listen(request, exchange);
  },
};

function listenWithMounts(parts: ServerParts, request: ModernRequest, exchange: Exchange) {
  const ending = new AbortController();
  onAbort(exchange, () => ending.abort());
  const opened = new OpenedExchange(exchange, (filter) => {
    void followMounts(parts, { filter, request, exchange: opened, signal: ending.signal });
  });
  return parts.hub.listen(request, opened).finally(() => ending.abort());
}

/** Reports the acknowledged filter, which comes before every change. */
class OpenedExchange implements Exchange {
  readonly #exchange: Exchange;
  #onOpen: ((filter: ListenFilter) => void) | undefined;

  constructor(exchange: Exchange, onOpen: (filter: ListenFilter) => void) {
    this.#exchange = exchange;
    this.#onOpen = onOpen;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  get caller(): Exchange["caller"] {
    return this.#exchange.caller;
  }

  get isAnonymous(): boolean | undefined {
    return this.#exchange.isAnonymous;
  }

  onAbort(callback: () => void): void {
    onAbort(this.#exchange, callback);
  }

  notify(notification: JsonRpcNotification): boolean {
    const isTaken = this.#exchange.notify(notification);
    if (notification.method === notificationMethod.acknowledged) {
      this.#onOpen?.((notification.params?.notifications ?? {}) as ListenFilter);
      this.#onOpen = undefined;
    }
    return isTaken;
  }

  drained(): Promise<void> {
    return this.#exchange.drained();
  }
}

interface Following {
  readonly filter: ListenFilter;
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  readonly signal: AbortSignal;
}

/** The subscribed resources and tasks of one mounted server. */
interface Followed {
  readonly uris: string[];
  /** The public id by the id there. */
  readonly tasks: Map<string, string>;
}

async function followMounts(parts: ServerParts, following: Following): Promise<void> {
  const { filter, exchange } = following;
  const servers = new Map<Dispatch, Followed>();
  const followedAt = (dispatch: Dispatch): Followed => {
    const known = servers.get(dispatch) ?? { uris: [], tasks: new Map<string, string>() };
    servers.set(dispatch, known);
    return known;
  };
  for (const uri of filter.resourceSubscriptions ?? []) {
    const { registry } = parts;
    const definition =
      registry.resources.get(uri, exchange.caller) ?? findTemplate(registry, uri, exchange.caller)?.definition;
    const forward = definition?.forward;
    if (forward && !forward.isLocal) followedAt(forward.dispatch).uris.push(uri);
  }
  for (const taskId of filter.taskIds ?? []) {
    if (!isMountedTaskId(taskId)) continue;
    const task = await findMountedTask(parts, taskId, exchange).catch(() => undefined);
    if (task) followedAt(task.forward.dispatch).tasks.set(task.taskId, taskId);
  }
  for (const [dispatch, followed] of servers) void follow(dispatch, followed, following);
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** Subscribes again when the stream of the mounted server ends first, and then reports a change of each resource. */
async function follow(dispatch: Dispatch, { uris, tasks }: Followed, { request, exchange, signal }: Following) {
  const outbox = new Outbox(exchange, request.id);
  const notifications: ListenFilter = {
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
    ...(tasks.size > 0 && { taskIds: [...tasks.keys()] }),
  };
  const receive = ({ method: name, params = {} }: JsonRpcNotification): boolean => {
    if (name === notificationMethod.resourceUpdated) outbox.send(name, { uri: params.uri }, `resource ${params.uri}`);
    const publicId = tasks.get(String(params.taskId));
    if (name === notificationMethod.task && publicId !== undefined) {
      outbox.send(name, withTaskId(params, String(params.taskId), publicId), `task ${publicId}`);
    }
    return true;
  };
  const remote = { signal, caller: exchange.caller, notify: receive, drained: () => Promise.resolve() };
  const params = { _meta: request.params._meta, notifications };
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    const startedAt = Date.now();
    await sendAs(dispatch, { ...request, method: method.listen, params }, remote).catch(() => undefined);
    if (Date.now() - startedAt > longestPauseMs) pauseMs = firstPauseMs;
    await pause(pauseMs, signal);
    if (!signal.aborted)
      for (const uri of uris) outbox.send(notificationMethod.resourceUpdated, { uri }, `resource ${uri}`);
  }
}

/** A slow reader costs at most one notification per resource or task. */
class Outbox {
  readonly #exchange: Exchange;
  readonly #id: RequestId;
  #held: Map<string, JsonRpcNotification> | undefined;

  constructor(exchange: Exchange, id: RequestId) {
    this.#exchange = exchange;
    this.#id = id;
  }

  send(name: string, params: JsonObject, topic: string): void {
    this.#deliver(withSubscriptionId(name, params, this.#id), topic);
  }

  #deliver(notification: JsonRpcNotification, topic: string): void {
    if (this.#held) this.#held.set(topic, notification);
    else if (!this.#exchange.notify(notification)) {
      this.#held = new Map();
      void this.#exchange.drained().then(() => {
        const held = this.#held;
        this.#held = undefined;
        for (const [key, one] of held ?? []) this.#deliver(one, key);
      });
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
