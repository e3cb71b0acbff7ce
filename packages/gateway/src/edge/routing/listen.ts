// Serves subscriptions/listen (E.2, J-60): changes of merged lists, updates of resources in the caller's sessions, and the
// states of tasks (F-23). A caller is never notified about the sessions of another caller.
import {
  type Caller,
  clientCapabilitiesOf,
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
import { createHub, type Hub } from "@lethe/server/edge";
import type { ChangeKind } from "@lethe/server/stores";
import type { FoundTask } from "../../calls/find-task.ts";
import { isNotStarted, type RequestHold, upstreamOf } from "../../calls/request-hold.ts";
import { handleOf } from "../../calls/session-argument.ts";
import { type PublishPayload, publishTask, type TaskMethods } from "../../calls/task-methods.ts";
import type { ListKind } from "../../catalog/catalog-view.ts";
import { declaredExtensionsOf } from "../../extensions/declared-extensions.ts";
import type { ResourceSubscription, ResourceSubscriptions } from "../../subscriptions/resource-subscriptions.ts";
import { SubscribedNames } from "../../subscriptions/subscribed-names.ts";
import type { TaskSubscriptions } from "../../subscriptions/task-subscriptions.ts";
import { gatewayInfo } from "../../upstreams/connection/own-request.ts";
import { chooseEra } from "../../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { createAnnouncements } from "./announcements.ts";

export interface ListenOptions {
  readonly resourceSubscriptions: ResourceSubscriptions;
  readonly hold: RequestHold;
  sessionsOf(upstream: string): UpstreamSessions | undefined;
  /** Returns the one upstream that has a resource, with its own URI there. Undefined if no upstream has it, or several do. */
  ownerOf(
    uri: string,
    request: ModernRequest,
    caller: Caller | undefined,
  ): { readonly sessions: UpstreamSessions; readonly uri: string } | undefined;
  /** The server that responds to callers of the endpoint. Default: the gateway. */
  serverInfo?(): Implementation;
  readonly tasks: Pick<TaskMethods, "find"> & {
    readonly subscriptions: TaskSubscriptions;
    /** Whether an upstream here creates tasks. */
    isOffered(): boolean;
  };
  /** Makes references in a task result lead to its upstream. Default: they stay unchanged. */
  publish?: PublishPayload | undefined;
}

const kinds: ReadonlySet<ChangeKind> = new Set(["tools", "prompts", "resources", "resource"]);
const kindsWithTasks: ReadonlySet<ChangeKind> = new Set([...kinds, "task"]);
/** The maximum number of URIs, and of task ids. The hub has the same limit and rejects more. */
const maxNames = 1_000;

/** The settings of the gateway limit streams, in total and per caller, before a request arrives here. */
const limitedByEdge = { maxStreams: Number.POSITIVE_INFINITY, maxStreamsPerCaller: Number.POSITIVE_INFINITY };

interface CallerHub {
  readonly hub: Hub;
  /** By upstream: receives updates with the upstream's own URIs. */
  readonly updates: Map<string, Updates>;
  /** By upstream, plus one for tasks that other replicas publish. */
  readonly states: Map<string | undefined, (task: DetailedTask) => void>;
  /** The number of streams that are open or opening. */
  users: number;
}

interface Updates {
  readonly names: SubscribedNames;
  readonly onUpdate: (uri: string) => void;
}

interface Followed {
  readonly taskId: string;
  release(): void;
}

export class Listening {
  readonly listen: Dispatch = (request, exchange) => this.#listen(request, exchange);
  readonly #options: ListenOptions;
  /** By caller. Anonymous callers share one. */
  readonly #hubs: Map<string | undefined, CallerHub> = new Map();
  readonly #announcements = createAnnouncements(() => hubsOf(this.#hubs.values()));
  #isClosed = false;

  constructor(options: ListenOptions) {
    this.#options = options;
  }

  publish(kind: ListKind): void {
    this.#announcements.add(kind);
  }

  /** Ends every stream with its result and accepts no more. */
  close(): void {
    this.#isClosed = true;
    for (const { hub } of this.#hubs.values()) hub.close();
  }

  #hubOf(callerId: string | undefined): CallerHub {
    const known = this.#hubs.get(callerId);
    if (known) return known;
    // Only task ids that belong to the caller reach this point.
    const hub = createHub({
      ...limitedByEdge,
      supports: () => (this.#options.tasks.isOffered() ? kindsWithTasks : kinds),
      mayFollow: () => true,
    });
    if (this.#isClosed) hub.close();
    const made: CallerHub = { hub, updates: new Map(), states: new Map(), users: 0 };
    this.#hubs.set(callerId, made);
    return made;
  }

  #updatesOf({ hub, updates }: CallerHub, upstream: string): Updates {
    const known = updates.get(upstream);
    if (known) return known;
    const names = new SubscribedNames();
    const onUpdate = (own: string) => {
      for (const uri of names.of(own)) hub.publish({ kind: "resource", uri });
    };
    const made: Updates = { names, onUpdate };
    updates.set(upstream, made);
    return made;
  }

  #onStateOf({ hub, states }: CallerHub, { place, peer }: FoundTask): (task: DetailedTask) => void {
    const upstream = peer ? undefined : place.upstream;
    const known = states.get(upstream);
    if (known) return known;
    const onState = (task: DetailedTask) => {
      const shown = upstream === undefined ? { ...task } : { ...publishTask(task, upstream, this.#options.publish) };
      hub.publish({ kind: "task", task: shown });
    };
    states.set(upstream, onState);
    return onState;
  }

  async #listen(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { serverInfo = () => gatewayInfo } = this.#options;
    const callerId = exchange.caller?.id;
    const filter = parseListenFilter(request.params);
    const uris = [...new Set(filter.resourceSubscriptions)];
    const taskIds = this.#options.tasks.isOffered() ? [...new Set(filter.taskIds)] : [];
    if (taskIds.length > 0) requireTasks(request);
    const own = this.#hubOf(callerId);
    own.users += 1;
    let held: ResourceSubscription[] | undefined;
    let followed: Followed[] | undefined;
    try {
      if (uris.length > 0 && uris.length <= maxNames) held = await this.#watchAll(request, exchange, uris);
      if (taskIds.length > 0 && taskIds.length <= maxNames)
        followed = await this.#followOrHold(request, exchange, taskIds);
      const result = await own.hub.listen(withGranted(request, filter, held, followed), exchange);
      // Also applies to the end of a stream.
      return { ...result, _meta: { ...result._meta, [metaKey.serverInfo]: serverInfo() } };
    } finally {
      for (const { release } of [...(held ?? []), ...(followed ?? [])]) release();
      own.users -= 1;
      if (own.users === 0) this.#hubs.delete(callerId);
    }
  }

  async #watchAll(
    request: ModernRequest,
    { caller, isForwarded }: Exchange,
    uris: readonly string[],
  ): Promise<ResourceSubscription[]> {
    const callerId = caller?.id;
    const hub = this.#hubOf(callerId);
    const handle = handleOf(request.params, false);
    const declared = declaredExtensionsOf(clientCapabilitiesOf(request));
    const owned = new Map<UpstreamSessions, Map<string, string[]>>();
    for (const uri of uris) {
      const owner = this.#options.ownerOf(uri, request, caller);
      if (!owner) continue;
      const sessions = await chooseEra(owner.sessions, request, { kind: "resources", name: owner.uri });
      const own = owned.get(sessions) ?? new Map<string, string[]>();
      owned.set(sessions, own);
      const names = own.get(owner.uri);
      if (names) names.push(uri);
      else own.set(owner.uri, [uri]);
    }
    const release = this.#options.resourceSubscriptions.reserve(callerId, uris.length);
    const held = [...owned].map(async ([sessions, own]): Promise<ResourceSubscription> => {
      const { names, onUpdate } = this.#updatesOf(hub, sessions.name);
      names.join(own);
      const watch = await this.#options.resourceSubscriptions.acquire(
        { sessions, callerId, handle, declared, isForwarded },
        [...own.keys()],
        onUpdate,
      );
      return {
        uris: watch.uris.flatMap((uri) => own.get(uri) ?? []),
        release() {
          watch.release();
          names.leave(own);
        },
      };
    });
    return [{ uris: [], release }, ...(await Promise.all(held))];
  }

  /** Holds the request while the replica that owns a task cannot be reached. */
  async #followOrHold(request: ModernRequest, exchange: Exchange, taskIds: readonly string[]): Promise<Followed[]> {
    const { hold, sessionsOf } = this.#options;
    const since = hold.now();
    const follow = () => this.#followAll(exchange.caller, taskIds);
    try {
      return await follow();
    } catch (error) {
      const sessions = isNotStarted(error) && sessionsOf(upstreamOf(error));
      if (!sessions) throw error;
      return hold.retry({ sessions, request, exchange, since }, error, follow);
    }
  }

  /** A task id that cannot be followed is left out without a reason. */
  async #followAll(caller: Caller | undefined, taskIds: readonly string[]): Promise<Followed[]> {
    const hub = this.#hubOf(caller?.id);
    const following = taskIds.map(async (taskId) => {
      const found = await this.#options.tasks.find(taskId, caller);
      const release =
        found && (await this.#options.tasks.subscriptions.acquire(found, caller, this.#onStateOf(hub, found)));
      return release ? [{ taskId, release }] : [];
    });
    return (await Promise.all(following)).flat();
  }
}

function* hubsOf(callers: Iterable<CallerHub>): Iterable<Hub> {
  for (const { hub } of callers) yield hub;
}

/** The acknowledgement contains only what was granted (E-11), in the form it was requested (E-19). */
function withGranted(
  request: ModernRequest,
  filter: ListenFilter,
  held: readonly ResourceSubscription[] | undefined,
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
