// Tasks that are listened to (F-23): each once, however many streams of its caller want to hear of it, and for as long as
// any does.
import {
  type Caller,
  type DetailedTask,
  type Dispatch,
  isDetailedTask,
  isTerminal,
  type JsonRpcNotification,
  method,
  notificationMethod,
} from "@lethe/protocol";
import { toCallerTask } from "../calls/caller-task.ts";
import type { GatewayTasks } from "../calls/gateway-tasks.ts";
import { maskErrors } from "../calls/mask-errors.ts";
import type { FoundTask } from "../calls/task-methods.ts";
import { createOwnExchange, toOwnRequest, withTasks } from "../upstreams/connection/own-request.ts";
import { ofEra } from "../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { createListenerSet, type ListenerSet } from "./listener-set.ts";
import { inSessionOf, keepListening } from "./upstream-listen.ts";

/** Hears a task under its public id. */
export type OnState = (task: DetailedTask) => void;

export interface TaskSubscriptions {
  /** Returns how to stop; undefined when it cannot be followed. Never rejects. */
  acquire(found: FoundTask, caller: Caller | undefined, onState: OnState): Promise<(() => void) | undefined>;
  readonly size: number;
  close(): void;
}

export interface TaskSubscriptionLimits {
  /** Default 10,000. */
  maxFollowed?: number;
}

export interface TaskSubscriptionOptions extends TaskSubscriptionLimits {
  /** The sessions of an upstream at this moment: a changed configuration brings others. Undefined when it is gone. */
  sessionsOf(upstream: string): UpstreamSessions | undefined;
}

interface Watched {
  readonly granted: Promise<boolean>;
  readonly audience: ListenerSet<DetailedTask>;
  stop(): void;
}

export function createTaskSubscriptions(
  own: GatewayTasks,
  { maxFollowed = 10_000, sessionsOf }: TaskSubscriptionOptions,
): TaskSubscriptions {
  /** By public id, which is of one caller. */
  const watched = new Map<string, Watched>();

  async function acquire(found: FoundTask, caller: Caller | undefined, onState: OnState) {
    const { taskId } = found;
    if (!watched.has(taskId) && watched.size < maxFollowed) begin(found, caller);
    const entry = watched.get(taskId);
    if (!entry) return undefined;
    entry.audience.join(onState);
    const release = () => {
      entry.audience.leave(onState);
      if (!entry.audience.isEmpty || watched.get(taskId) !== entry) return;
      watched.delete(taskId);
      entry.stop();
    };
    if (await entry.granted) return release;
    release();
    return undefined;
  }

  function begin(found: FoundTask, caller: Caller | undefined): void {
    const audience = createListenerSet<DetailedTask>();
    const isHere = found.place.isOwn && !found.peer;
    const watch = isHere
      ? watchOwn(found, own, audience.tell)
      : watchElsewhere({ found, caller, dispatch: found.peer ?? dispatchOf(found, caller) }, audience.tell);
    watched.set(found.taskId, { ...watch, audience });
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
      return watched.size;
    },
    close() {
      for (const { stop } of watched.values()) stop();
      watched.clear();
    },
  };
}

type Watch = Pick<Watched, "granted" | "stop">;

function watchOwn({ taskId, place: { id } }: FoundTask, own: GatewayTasks, tell: OnState): Watch {
  const stop = own.follow(id, (task) => tell({ ...task, taskId }));
  return { granted: own.read(id).then((task) => task !== undefined), stop };
}

interface Elsewhere {
  readonly found: FoundTask;
  readonly caller: Caller | undefined;
  readonly dispatch: Dispatch;
}

/** At its upstream, or through another replica, where it has its public id. */
function watchElsewhere({ found, caller, dispatch }: Elsewhere, tell: OnState): Watch {
  const { taskId, place, sessions, peer } = found;
  const stop = new AbortController();
  const id = peer ? taskId : place.id;
  let grant: (isGranted: boolean) => void = () => {};
  let wasGranted = false;
  const granted = new Promise<boolean>((resolve) => {
    grant = resolve;
  });

  function hear(state: unknown): void {
    if (stop.signal.aborted || !isDetailedTask(state) || state.taskId !== id) return;
    // Another replica has made it the caller's already.
    tell(peer ? state : toCallerTask(maskErrors(state, sessions.mask), { taskId, place, declared: withTasks }));
    // It never changes again (F-11).
    if (isTerminal(state.status)) stop.abort();
  }

  /** What happened while nobody listened was missed. */
  async function catchUp(): Promise<void> {
    const exchange = createOwnExchange({ signal: stop.signal, caller });
    hear(await dispatch(toOwnRequest(method.getTask, { taskId: id }, withTasks), exchange));
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
      onNotification: ({ method: told, params }: JsonRpcNotification) => {
        if (told === notificationMethod.task) hear(params);
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
