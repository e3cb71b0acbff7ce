// Parts that all answers of the administration API share.
import { component, type Described, integer, list, object, text } from "./schema.ts";

/** An answer for all replicas. */
export interface FleetAnswer {
  /** The replica that answers. */
  readonly replica: string;
  /** The replicas that did not answer in time. Their items are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** The number of items left out, because a replica answers with a limited number of them. */
  readonly omitted: number;
}

/** An answer with the sum of the figures of all replicas. */
export interface FiguresHead {
  /** The replica that answers. What is no figure is its own. */
  readonly replica: string;
  /** The replicas whose figures are included, the one that answers first. */
  readonly replicas: readonly string[];
  /** The replicas whose figures are missing. */
  readonly unanswered: readonly UnansweredReplica[];
}

export interface UnansweredReplica {
  readonly replica: string;
  readonly reason: string;
}

export const unanswered: Described<UnansweredReplica> = component(
  "UnansweredReplica",
  object<UnansweredReplica>(
    { replica: text(), reason: text() },
    "A replica that did not answer in time, so that its items are missing",
  ),
);

/** The members of each answer for all replicas. */
export const fleetMembers: {
  readonly replica: Described<string>;
  readonly unanswered: Described<readonly UnansweredReplica[]>;
  readonly omitted: Described<number>;
} = {
  replica: text("The replica that answers"),
  unanswered: list(unanswered, "Replicas that did not answer in time. Their items are missing"),
  omitted: integer("Items left out, because a replica answers with a limited number of them"),
};

/** The members of each answer with the figures of all replicas. */
export const figuresMembers: {
  readonly replica: Described<string>;
  readonly replicas: Described<readonly string[]>;
  readonly unanswered: Described<readonly UnansweredReplica[]>;
} = {
  replica: text("The replica that answers. What is no figure is its own"),
  replicas: list(text(), "The replicas whose figures are included, the one that answers first"),
  unanswered: list(
    unanswered,
    "Replicas that did not answer in time, or of another version. Their figures are missing",
  ),
};

export interface Problem {
  readonly error: string;
}

export const problem: Described<Problem> = component(
  "Problem",
  object<Problem>({ error: text("What went wrong and what to do") }, "The body of an answer with status 4xx or 5xx"),
);
