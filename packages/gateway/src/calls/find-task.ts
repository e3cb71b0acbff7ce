// Finds the task that a caller names by its public id: at the replica that runs it, at its upstream, or among the tasks whose replica
// is gone.
import { type Caller, type DetailedTask, type Dispatch, isMcpError } from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { notStarted, throwReplicaFailure } from "../upstreams/connection/upstream-error.ts";
import { ofEra } from "../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { GatewayTasks } from "./gateway-tasks.ts";
import type { TaskIds, TaskLocation } from "./task-ids.ts";

export interface TaskFinderOptions {
  readonly ids: TaskIds;
  readonly own: GatewayTasks;
  readonly directory: Directory;
  /** The path of the endpoint: replicas forward requests to it. */
  readonly path: string;
  /** Undefined for an upstream that this endpoint does not serve. */
  sessionsOf(upstream: string): UpstreamSessions | undefined;
  /** A caller that loses access to a tool also loses access to its tasks. */
  mayCall(caller: Caller | undefined, upstream: string, tool: string): boolean;
}

export interface FoundTask {
  readonly taskId: string;
  readonly place: TaskLocation;
  readonly sessions: UpstreamSessions;
  /** The replica that owns the task, if it is another one. */
  readonly peer: Dispatch | undefined;
  /** The end of a task of the gateway whose replica is gone. */
  readonly ended?: DetailedTask;
  /** The replica of a task of the gateway is gone, and nothing is recorded about the task. */
  readonly isLost?: boolean;
}

export class TaskFinder {
  readonly #options: TaskFinderOptions;

  constructor(options: TaskFinderOptions) {
    this.#options = options;
  }

  /** Undefined for any id that is not of a task of this caller. Rejects with McpError. */
  async find(taskId: string, caller: Caller | undefined): Promise<FoundTask | undefined> {
    const { ids, sessionsOf, mayCall, directory } = this.#options;
    const place = await ids.open(taskId, caller);
    const main = place && sessionsOf(place.upstream);
    if (!main || !mayCall(caller, place.upstream, place.tool)) return undefined;
    const sessions = await ofEra(main, place.era);
    const peer = await this.#peerOf(place);
    const found = { taskId, place, sessions, peer };
    const isGone = place.isOwn && !peer && place.replica !== undefined && place.replica !== directory.self;
    return isGone ? this.#recover(found, caller) : found;
  }

  /** Finds a task of the gateway whose replica is gone. */
  async #recover(found: FoundTask, caller: Caller | undefined): Promise<FoundTask | undefined> {
    const { own, directory, path } = this.#options;
    const { place } = found;
    const { id, upstream, expiresAt = Number.POSITIVE_INFINITY } = place;
    const isAlive = async (replica: string) => (await directory.reach(replica, path)) !== undefined;
    const recovered = await own.recover({ id, upstream, caller, isAlive }).catch((cause) => {
      if (isMcpError(cause)) throw cause;
      throw notStarted(upstream, "unavailable", "has a task whose record cannot be read", { cause });
    });
    if (recovered.kind === "ended") return { ...found, ended: recovered.task };
    if (recovered.kind === "unknown") return Date.now() < expiresAt ? { ...found, isLost: true } : undefined;
    const now = { ...place, replica: recovered.replica, id: recovered.id ?? id };
    return { ...found, place: now, peer: await this.#peerOf(now) };
  }

  /** Undefined when the replica is gone: an upstream that keeps tasks in a file may still know the task. */
  async #peerOf({ replica, upstream }: TaskLocation): Promise<Dispatch | undefined> {
    const { directory, path } = this.#options;
    if (replica === undefined || replica === directory.self) return undefined;
    try {
      return await directory.reach(replica, path);
    } catch (error) {
      throwReplicaFailure(upstream, error);
    }
  }
}
