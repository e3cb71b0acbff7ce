// What replicas ask each other besides the operations of the API: new exchanges, and figures that add up.
import type { ChangedEvent } from "./events.ts";
import type { Exchange } from "./exchanges.ts";

/** The names of the questions, next to the names of operations. A replica of an earlier version refuses those that it does not know. */
export const newExchanges = "newExchanges";
/** All figures of a replica now. */
export const replicaFigures = "replicaFigures";
/** What a replica knows of one upstream. */
export const upstreamPart = "upstreamPart";
/** The steps of the series, as counts. */
export const seriesPart = "seriesPart";

export type ReplicaQuestion = typeof newExchanges | typeof replicaFigures | typeof upstreamPart | typeof seriesPart;

/** Whether the answer is part of the figures of all replicas, so that the administrator looks at another one. */
export function isForFigures(name: string): boolean {
  return name === replicaFigures || name === upstreamPart || name === seriesPart;
}

export type ListName = ChangedEvent["resources"][number];

/** The answer of a replica to the question for its exchanges after a number. */
export interface NewExchanges {
  /** The oldest first. Their ids end with their numbers, which increase by one. */
  readonly exchanges: readonly Exchange[];
  /** The number of the last exchange that was considered, or -1. */
  readonly last: number;
  /** Whether newer exchanges are kept. */
  readonly hasMore: boolean;
  /** The number of exchanges since its start that were never kept. Absent from replicas of earlier builds. */
  readonly leftOut?: number;
  /** A text for each list that changes with the list. */
  readonly lists: Readonly<Record<ListName, string>>;
}

/** The number of an exchange at its replica. */
export function numberOf({ id }: Pick<Exchange, "id">): number {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}
