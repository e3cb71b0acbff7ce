// What replicas ask each other besides the operations of the API: the exchanges since the last question.
import type { ChangedEvent } from "./events.ts";
import type { Exchange } from "./exchanges.ts";

/** The name of the question, next to the names of operations. */
export const newExchanges = "newExchanges";

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
