// Ids of tasks at the gateway (F-25, F-27, J-55): where a task is, sealed for its caller. Nothing is kept for them, so that
// every replica with the same keys opens them, and one that somebody guessed or stole opens nothing.
import type { Caller, JsonObject } from "@lethe/protocol";
import type { Binding, Seal } from "@lethe/server/edge";
import type { KeptEra } from "../upstreams/sessions/era-choice.ts";

export interface TaskLocation {
  readonly upstream: string;
  /** As whoever runs it calls it. */
  readonly id: string;
  /** In the upstream's own name. */
  readonly tool: string;
  /** The gateway runs it: the upstream knows a call, and nothing of a task. */
  readonly isOwn?: boolean;
  /** The one that can reach it; absent when every replica can. */
  readonly replica?: string;
  /** Of the connection that it was begun on, where the upstream has one for each era. Absent for the newer one. */
  readonly era?: KeptEra;
  /** Of the session that it was begun in, where sessions have names. */
  readonly handle?: string;
}

export interface TaskIds {
  /** Throws RangeError when the id at its place is too long. */
  mint(place: TaskLocation, caller: Caller | undefined): Promise<string>;
  /** Undefined for what is no id of this caller, whatever the reason. */
  open(taskId: string, caller: Caller | undefined): Promise<TaskLocation | undefined>;
}

/** Ten years, in ms: whether there still is a task is for whoever runs it to say. */
export const taskIdTtlMs: number = 10 * 365 * 86_400_000;
/** The sealed payload. A client also sends the id as a header (F-24), of fewer than 4,096 characters with this limit. */
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
