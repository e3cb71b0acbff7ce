// subscriptions/listen at the gateway (E.2, J-60): changes of the merged lists, updates of resources from the sessions of
// whoever listens, and the states of tasks (F-23). One caller never hears of what happens in the sessions of another.
import {
  type Caller,
  type DetailedTask,
  type Dispatch,
  type Exchange,
  type Implementation,
  type ListenFilter,
  type ModernRequest,
  metaKey,
  parseListenFilter,
  type Result,
  requireTasks,
} from "@lethe/protocol";
import { type ChangeKind, createHub, type Hub } from "@lethe/server";
import type { ResourceWatches, Watch } from "../bridge/resource-watches.ts";
import { handleOf } from "../bridge/session-argument.ts";
import type { ListKind } from "../catalog/catalog-view.ts";
import type { UpstreamSessions } from "../sessions/upstream-sessions.ts";
import type { TaskRelay } from "../tasks/task-relay.ts";
import type { TaskWatches } from "../tasks/task-watches.ts";
import { gatewayInfo } from "../upstream/own-request.ts";

export interface ListenOptions {
  readonly watches: ResourceWatches;
  /** Who has a resource; undefined when nobody does. */
  ownerOf(uri: string): UpstreamSessions | undefined;
  /** Who answers, to the callers of the endpoint. Default: the gateway. */
  serverInfo?(): Implementation;
  readonly tasks: Pick<TaskRelay, "find"> & {
    readonly watches: TaskWatches;
    /** Whether anybody here makes tasks. */
    isOffered(): boolean;
  };
}

export interface Listening {
  readonly listen: Dispatch;
  publish(kind: ListKind): void;
  /** Ends every stream with its result (E-16) and takes no more. */
  close(): void;
}

const kinds: ReadonlySet<ChangeKind> = new Set(["tools", "prompts", "resources", "resource"]);
const kindsWithTasks: ReadonlySet<ChangeKind> = new Set([...kinds, "task"]);
/** URIs and task ids, each; as the hub has it, which refuses what is more. */
const maxNames = 1_000;

interface CallerHub {
  readonly hub: Hub;
  readonly onUpdate: (uri: string) => void;
  readonly onState: (task: DetailedTask) => void;
  /** How many listen, or are about to. */
  users: number;
}

interface Followed {
  readonly taskId: string;
  release(): void;
}

export function createListening({ watches, ownerOf, serverInfo = () => gatewayInfo, tasks }: ListenOptions): Listening {
  /** By caller; one for all who do not say who they are. */
  const hubs = new Map<string | undefined, CallerHub>();
  let isClosed = false;

  function hubOf(callerId: string | undefined): CallerHub {
    const known = hubs.get(callerId);
    if (known) return known;
    // Only what was found to be the caller's comes so far.
    const hub = createHub({ supports: () => (tasks.isOffered() ? kindsWithTasks : kinds), mayFollow: () => true });
    if (isClosed) hub.close();
    const made: CallerHub = {
      hub,
      onUpdate: (uri) => hub.publish({ kind: "resource", uri }),
      onState: (task) => hub.publish({ kind: "task", task: { ...task } }),
      users: 0,
    };
    hubs.set(callerId, made);
    return made;
  }

  async function listen(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const callerId = exchange.caller?.id;
    const filter = parseListenFilter(request.params);
    const uris = [...new Set(filter.resourceSubscriptions)];
    const taskIds = tasks.isOffered() ? [...new Set(filter.taskIds)] : [];
    if (taskIds.length > 0) requireTasks(request);
    const own = hubOf(callerId);
    own.users += 1;
    let held: Watch[] | undefined;
    let followed: Followed[] | undefined;
    try {
      if (uris.length > 0 && uris.length <= maxNames) held = await watchAll(request, callerId, uris);
      if (taskIds.length > 0 && taskIds.length <= maxNames) followed = await followAll(exchange.caller, taskIds);
      const result = await own.hub.listen(withGranted(request, filter, held, followed), exchange);
      // A-35, also for the end of a stream.
      return { ...result, _meta: { ...result._meta, [metaKey.serverInfo]: serverInfo() } };
    } finally {
      for (const { release } of [...(held ?? []), ...(followed ?? [])]) release();
      own.users -= 1;
      if (own.users === 0) hubs.delete(callerId);
    }
  }

  async function watchAll(
    request: ModernRequest,
    callerId: string | undefined,
    uris: readonly string[],
  ): Promise<Watch[]> {
    const { onUpdate } = hubOf(callerId);
    const handle = handleOf(request.params, false);
    const owned = new Map<UpstreamSessions, string[]>();
    for (const uri of uris) {
      const sessions = ownerOf(uri);
      if (sessions) owned.set(sessions, [...(owned.get(sessions) ?? []), uri]);
    }
    const release = watches.reserve(callerId, uris.length);
    const held = [...owned].map(([sessions, own]) => watches.acquire({ sessions, callerId, handle }, own, onUpdate));
    return [{ uris: [], release }, ...(await Promise.all(held))];
  }

  /** An id that cannot be followed is left out, whatever the reason (F-23). */
  async function followAll(caller: Caller | undefined, taskIds: readonly string[]): Promise<Followed[]> {
    const { onState } = hubOf(caller?.id);
    const following = taskIds.map(async (taskId) => {
      const found = await tasks.find(taskId, caller);
      const release = found && (await tasks.watches.acquire(found, caller, onState));
      return release ? [{ taskId, release }] : [];
    });
    return (await Promise.all(following)).flat();
  }

  return {
    listen,
    publish(kind) {
      for (const { hub } of hubs.values()) hub.publish({ kind });
    },
    close() {
      isClosed = true;
      for (const { hub } of hubs.values()) hub.close();
    },
  };
}

/** Only what was granted is acknowledged (E-11), as it was asked for (E-19). */
function withGranted(
  request: ModernRequest,
  filter: ListenFilter,
  held: readonly Watch[] | undefined,
  followed: readonly Followed[] | undefined,
): ModernRequest {
  if (!held && !followed) return request;
  const notifications: ListenFilter = { ...filter };
  if (held) {
    delete notifications.resourceSubscriptions;
    const granted = held.flatMap(({ uris }) => uris);
    if (granted.length > 0) notifications.resourceSubscriptions = granted;
  }
  if (followed) notifications.taskIds = followed.map(({ taskId }) => taskId);
  return { ...request, params: { ...request.params, notifications } };
}
