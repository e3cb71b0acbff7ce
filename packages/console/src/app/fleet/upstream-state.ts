// What the pages say of the state of an upstream: one word where all replicas agree, and else where it is what.
import type { StateAtReplicas, Upstream } from "../admin/admin-api.ts";
import type { Tone } from "../parts/badge.tsx";
import { stateTones } from "./tones.ts";

export interface StateSummary {
  readonly tone: Tone;
  /** Such as "ready" or "ready at 2 of 3". */
  readonly label: string;
  /** Where it is in a state that needs attention. */
  readonly exceptions: readonly StateException[];
}

export interface StateException {
  /** Such as "failed at 7c2b88d9". */
  readonly label: string;
  readonly reason?: string | undefined;
  readonly isFailure: boolean;
}

type Stateful = Pick<Upstream, "state" | "states">;

export function toStateSummary({ state, states }: Stateful): StateSummary {
  if (!states) return { tone: stateTones[state], label: state, exceptions: [] };
  const shown = countOf(states, "ready") > 0 ? "ready" : countOf(states, "idle") > 0 ? "idle" : state;
  const total = states.reduce((sum, { replicas }) => sum + replicas.length, 0);
  const count = countOf(states, shown);
  return {
    tone: toTone(states, shown),
    label: count === total ? shown : `${shown} at ${count} of ${total}`,
    exceptions: states.filter((one) => !isAvailable(one)).map((one) => toException(one, states)),
  };
}

/** Whether the replica has the upstream in its configuration. */
export function isConfiguredAt(replica: string, { states = [] }: Pick<Stateful, "states">): boolean {
  return !states.some(({ state, replicas }) => state === "absent" && replicas.includes(replica));
}

/** Whether some replicas can use the upstream and others cannot. */
export function isFailedInPart({ state, states = [] }: Stateful): boolean {
  return state === "failed" && states.some(isAvailable);
}

function toTone(states: readonly StateAtReplicas[], shown: Upstream["state"]): Tone {
  if (shown !== "ready" && shown !== "idle") return stateTones[shown];
  if (states.some(({ state }) => state === "failed" || state === "absent")) return "warn";
  return states.some(({ state }) => state === "starting") ? "info" : stateTones[shown];
}

function toException({ state, replicas, reason }: StateAtReplicas, all: readonly StateAtReplicas[]): StateException {
  if (state === "absent") return { label: toPresence(replicas, all), isFailure: false };
  return { label: `${state} at ${replicas.join(", ")}`, reason, isFailure: state === "failed" };
}

/** Names the replicas that have the upstream, or those that do not, if these are fewer. */
function toPresence(absent: readonly string[], all: readonly StateAtReplicas[]): string {
  const present = all.flatMap(({ state, replicas }) => (state === "absent" ? [] : replicas));
  return absent.length < present.length
    ? `not configured at ${absent.join(", ")}`
    : `configured only at ${present.join(", ")}`;
}

function isAvailable({ state }: StateAtReplicas): boolean {
  return state === "ready" || state === "idle";
}

function countOf(states: readonly StateAtReplicas[], wanted: StateAtReplicas["state"]): number {
  return states.reduce((sum, { state, replicas }) => sum + (state === wanted ? replicas.length : 0), 0);
}
