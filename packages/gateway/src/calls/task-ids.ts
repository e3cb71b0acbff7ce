// Public ids of tasks: the location of the task, sealed for its caller. The gateway stores nothing for an id, so every replica
// with the same keys can open it. A guessed or stolen id opens nothing.
import type { Caller, JsonObject } from "@lethe/protocol";
import type { Binding, Seal } from "@lethe/server/edge";
import type { KeptEra } from "../upstreams/sessions/era-choice.ts";

export interface TaskLocation {
  readonly upstream: string;
  /** The id that the upstream, or the runner of the gateway, uses. */
  readonly id: string;
  /** The upstream's own name of the tool. */
  readonly tool: string;
  /** The gateway runs the task: for the upstream it is a plain call. */
  readonly isOwn?: boolean;
  /** The replica that owns the task; absent when every replica can reach it. */
  readonly replica?: string;
  /** When the gateway forgets a task of its own, in ms since 1970. */
  readonly expiresAt?: number;
  /** The era of the connection that the task began on, where the upstream has one for each. Absent for the newer one. */
  readonly era?: KeptEra;
  /** The handle of the session that the task began in, where sessions have handles. */
  readonly handle?: string;
}

export interface TaskIds {
  /** Throws RangeError when the id of the upstream is too long. */
  mint(place: TaskLocation, caller: Caller | undefined): Promise<string>;
  /** Undefined for an id that this caller cannot use, for any reason. */
  open(taskId: string, caller: Caller | undefined): Promise<TaskLocation | undefined>;
}

/** Ten years, in ms: the owner of the task decides how long it exists. */
export const taskIdTtlMs: number = 10 * 365 * 86_400_000;
/** The limit of the sealed payload. A client also sends the id as a header, which stays under 4,096 characters. */
export const maxTaskIdBytes = 2_560;

export function createTaskIds(seal: Seal): TaskIds {
  return {
    mint: (place, caller) => seal.seal({ ...place }, bindingOf(caller)),
    async open(taskId, caller) {
      const place = await seal.open(taskId, bindingOf(caller)).catch(() => undefined);
      return place && isTaskLocation(place) ? place : undefined;
    },
  };
}

function bindingOf(caller: Caller | undefined): Binding {
  return { callerId: caller?.id, method: "tasks/*", target: "", arguments: "" };
}

function isTaskLocation(value: JsonObject): value is JsonObject & TaskLocation {
  return typeof value.upstream === "string" && typeof value.id === "string" && typeof value.tool === "string";
}
