// Subscriptions to tasks: the gateway subscribes once per task, for as long as a stream of its caller listens.
import {
  type Caller,
  type DetailedTask,
  type Dispatch,
  isDetailedTask,
  isTerminal,
  type JsonRpcNotification,
  type KnownOptions,
  method,
  notificationMethod,
} from "@lethe/protocol";
import { maskErrors } from "../calls/caller-result.ts";
import { toCallerTask } from "../calls/caller-task.ts";
import type { FoundTask } from "../calls/find-task.ts";
import type { GatewayTasks } from "../calls/gateway-tasks.ts";
import { createOwnExchange, toOwnRequest, withTasks } from "../upstreams/connection/own-request.ts";
import { ofEra } from "../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { createListenerSet, type ListenerSet } from "./listener-set.ts";
import { inSessionOf, keepListening } from "./upstream-listen.ts";

/** Called with the task, under its public id. */
export type OnState = (task: DetailedTask) => void;

export interface TaskSubscriptions {
  /** Returns a function that stops the subscription; undefined when the task cannot be followed. Never rejects. */
  acquire(found: FoundTask, caller: Caller | undefined, onState: OnState): Promise<(() => void) | undefined>;
  readonly size: number;
  close(): void;
}

export interface TaskSubscriptionLimits {
  /** Followed tasks in total. Default 10,000. */
  maxFollowed?: number;
}

export const knownTaskSubscriptionLimits: KnownOptions<TaskSubscriptionLimits> = { maxFollowed: true };

export interface TaskSubscriptionOptions extends TaskSubscriptionLimits {
  /** The current sessions of an upstream, which change with the configuration. Undefined for a removed upstream. */
  sessionsOf(upstream: string): UpstreamSessions | undefined;
}

interface Subscribed {
  readonly granted: Promise<boolean>;
  readonly listeners: ListenerSet<DetailedTask>;
  stop(): void;
}

export function createTaskSubscriptions(
  own: GatewayTasks,
  { maxFollowed = 10_000, sessionsOf }: TaskSubscriptionOptions,
): TaskSubscriptions {
  /** By public id, which belongs to one caller. */
  const subscribed = new Map<string, Subscribed>();

  async function acquire(found: FoundTask, caller: Caller | undefined, onState: OnState) {
    const { taskId } = found;
    if (!subscribed.has(taskId) && subscribed.size < maxFollowed) begin(found, caller);
    const entry = subscribed.get(taskId);
    if (!entry) return undefined;
    entry.listeners.join(onState);
    const release = () => {
      entry.listeners.leave(onState);
      if (!entry.listeners.isEmpty || subscribed.get(taskId) !== entry) return;
      subscribed.delete(taskId);
      entry.stop();
    };
    if (await entry.granted) return release;
    release();
    return undefined;
  }

  function begin(found: FoundTask, caller: Caller | undefined): void {
    const listeners = createListenerSet<DetailedTask>();
    const isHere = found.place.isOwn && !found.peer;
    const subscription = isHere
      ? subscribeToOwn(found, own, listeners.tell)
      : subscribeElsewhere({ found, caller, dispatch: found.peer ?? dispatchOf(found, caller) }, listeners.tell);
    subscribed.set(found.taskId, { ...subscription, listeners });
  }

  function dispatchOf({ place: { upstream, era, handle } }: FoundTask, caller: Caller | undefined): Dispatch {
    return async (request, exchange) => {
      const main = sessionsOf(upstream);
      if (!main) throw new Error("this upstream is not served any more");
      const sessions = await ofEra(main, era);
      return inSessionOf({ sessions, callerId: caller?.id, handle })(request, exchange);
    };
  }

  return {
    acquire,
    get size() {
      return subscribed.size;
    },
    close() {
      for (const { stop } of subscribed.values()) stop();
      subscribed.clear();
    },
  };
}

type Subscription = Pick<Subscribed, "granted" | "stop">;

function subscribeToOwn({ taskId, place: { id } }: FoundTask, own: GatewayTasks, tell: OnState): Subscription {
  const stop = own.follow(id, (task) => tell({ ...task, taskId }));
  return { granted: own.read(id).then((task) => task !== undefined), stop };
}

interface RemoteTask {
  readonly found: FoundTask;
  readonly caller: Caller | undefined;
  readonly dispatch: Dispatch;
}

/** At the upstream, or through another replica, which knows the task by its public id. */
function subscribeElsewhere({ found, caller, dispatch }: RemoteTask, tell: OnState): Subscription {
  const { taskId, place, sessions, peer } = found;
  const stop = new AbortController();
  const id = peer ? taskId : place.id;
  let grant: (isGranted: boolean) => void = () => {};
  let wasGranted = false;
  const granted = new Promise<boolean>((resolve) => {
    grant = resolve;
  });

  function receiveTask(state: unknown): void {
    if (stop.signal.aborted || !isDetailedTask(state) || state.taskId !== id) return;
    // Another replica has translated the task for the caller already.
    tell(peer ? state : toCallerTask(maskErrors(state, sessions.mask), { taskId, place, declared: withTasks }));
    // A finished task never changes again.
    if (isTerminal(state.status)) stop.abort();
  }

  /** Changes may have been missed while the stream was down. */
  async function catchUp(): Promise<void> {
    const exchange = createOwnExchange({ signal: stop.signal, caller });
    receiveTask(await dispatch(toOwnRequest(method.getTask, { taskId: id }, withTasks), exchange));
  }

  void keepListening(
    {
      dispatch,
      caller,
      capabilities: withTasks,
      signal: stop.signal,
      wanted: () => ({ taskIds: [id] }),
      onAcknowledged({ taskIds = [] }) {
        const isGranted = taskIds.includes(id);
        if (wasGranted && isGranted) void catchUp().catch(() => {});
        wasGranted ||= isGranted;
        grant(isGranted);
        return isGranted;
      },
      onNotification: ({ method: notified, params }: JsonRpcNotification) => {
        if (notified === notificationMethod.task) receiveTask(params);
      },
    },
    () => grant(false),
  );
  return {
    granted,
    stop() {
      stop.abort();
      grant(false);
    },
  };
}
