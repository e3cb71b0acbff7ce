// The other replicas whose exchanges and figures the event streams of this one carry. They are asked while a stream is open.
import type { ReplicasEvent } from "./api/events.ts";
import { type ListName, newExchanges } from "./api/replica-question.ts";
import type { AskReplicas } from "./ask-replicas.ts";
import type { EndedStep } from "./fleet/figures.ts";
import type { OtherFigures } from "./fleet/merge-figures.ts";
import { FollowedReplica } from "./followed-replica.ts";

export interface FollowedReplicasOptions {
  readonly replica: string;
  readonly replicas: Pick<AskReplicas, "names" | "ask">;
  /** Called when another replica has sent exchanges. */
  onExchanges(): void;
  /** Called when the first answer of each replica is there, or its failure. */
  onFirstFigures(): void;
  onListsChanged(lists: readonly ListName[]): void;
}

export class FollowedReplicas {
  readonly #options: FollowedReplicasOptions;
  /** By their whole ids. */
  readonly #followed = new Map<string, FollowedReplica>();

  constructor(options: FollowedReplicasOptions) {
    this.#options = options;
  }

  get readers(): Iterable<FollowedReplica> {
    return this.#followed.values();
  }

  /** Follows the replicas that are alive now, and no others. */
  refresh(): void {
    const names = new Set(this.#options.replicas.names);
    for (const [id, followed] of this.#followed) {
      if (names.has(id)) continue;
      followed.stop();
      this.#followed.delete(id);
    }
    for (const id of names) if (!this.#followed.has(id)) this.#followed.set(id, this.#follow(id));
  }

  stop(): void {
    for (const followed of this.#followed.values()) followed.stop();
    this.#followed.clear();
  }

  /** Which replicas the streams carry, and which of them do not answer. */
  get status(): ReplicasEvent {
    const all = [...this.#followed.values()];
    return {
      replicas: [this.#options.replica, ...all.map(({ replica }) => replica)],
      unanswered: all.flatMap(({ replica, problem }) => (problem === undefined ? [] : [{ replica, reason: problem }])),
    };
  }

  /** Whether the first answer of a replica is still due. */
  get isAwaitingFigures(): boolean {
    return [...this.#followed.values()].some(({ figures }) => figures.isAwaited);
  }

  get figures(): OtherFigures {
    const all = [...this.#followed.values()];
    return {
      others: all.flatMap(({ figures }) => figures.current ?? []),
      unanswered: all.flatMap(({ replica, figures: { problem } }) =>
        problem === undefined ? [] : [{ replica, reason: problem }],
      ),
    };
  }

  /** The step of the series at each replica. Undefined while one that answers has not ended it. */
  stepOfAll(step: number): readonly EndedStep[] | undefined {
    const steps = this.stepsAt(step);
    const answering = [...this.#followed.values()].filter(({ figures }) => figures.problem === undefined);
    return steps.length < answering.length ? undefined : steps;
  }

  stepsAt(step: number): readonly EndedStep[] {
    return [...this.#followed.values()].flatMap(({ figures: { ended } }) => (ended?.step === step ? [ended] : []));
  }

  #follow(id: string): FollowedReplica {
    const { replicas, onExchanges, onListsChanged } = this.#options;
    return new FollowedReplica({
      ...{ replica: id.slice(0, 8), onExchanges, onListsChanged },
      onFirstFigures: () => {
        if (!this.isAwaitingFigures) this.#options.onFirstFigures();
      },
      ask: (query) => replicas.ask(id, newExchanges, { path: {}, query }),
    });
  }
}
