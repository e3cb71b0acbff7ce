// The figures of another replica, kept current with its answers.
import { readChangedFigures } from "./answer-shapes.ts";
import type { ChangedFigures } from "./figure-changes.ts";
import type { EndedStep, ReplicaFigures, UpstreamFigures } from "./figures.ts";

/** The pause between two questions for figures. They travel with the questions for exchanges. */
const askEveryMs = 1_000;

const earlierVersion = "it is of an earlier version";
const notYet = "no answer yet";

export class FollowedFigures {
  readonly #replica: string;
  #upstreams = new Map<string, UpstreamFigures>();
  /** All upstreams, until the last of the answers that contain them. */
  #loading: Map<string, UpstreamFigures> | undefined;
  #last: ChangedFigures | undefined;
  #ended: EndedStep | undefined;
  #problem: string | undefined = notYet;
  #nextQuestion = 0;

  constructor(replica: string) {
    this.#replica = replica;
  }

  /** Undefined while they are not known. */
  get current(): ReplicaFigures | undefined {
    if (!this.#last || this.#problem !== undefined) return undefined;
    const { gateway } = this.#last;
    return {
      ...{ replica: this.#replica, gateway, upstreams: this.#upstreams },
      recent: this.#ended?.recent ?? {},
    };
  }

  /** The last step that has ended there. */
  get ended(): EndedStep | undefined {
    return this.#problem === undefined ? this.#ended : undefined;
  }

  /** Why there are none. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether the first answer is still due. */
  get isAwaited(): boolean {
    return this.#problem === notYet;
  }

  /** Whether further answers complete the last one. */
  get isLoading(): boolean {
    return this.#last?.hasMore === true;
  }

  /** The members of the next question, if it is time. */
  query(): Readonly<Record<string, string>> {
    if (Date.now() < this.#nextQuestion) return {};
    this.#nextQuestion = Date.now() + (this.#last?.hasMore ? 0 : askEveryMs);
    return { figures: String(this.#last?.version ?? ""), step: String(this.#ended?.step ?? "") };
  }

  /** `answer` is undefined where the replica did not answer this part of the question. */
  keep(answer: unknown): void {
    if (answer === undefined) this.#problem = earlierVersion;
    else {
      try {
        this.#add(readChangedFigures(answer));
      } catch (error) {
        this.#problem = (error as Error).message;
        this.#last = undefined;
      }
    }
  }

  failed(problem: string): void {
    this.#problem = problem;
    this.#nextQuestion = 0;
  }

  #add(changed: ChangedFigures): void {
    if (changed.isWhole) this.#loading = new Map();
    const known = this.#loading ?? this.#upstreams;
    for (const upstream of changed.upstreams) known.set(upstream.name, upstream);
    this.#last = changed;
    this.#ended = changed.ended ?? this.#ended;
    if (changed.hasMore) {
      this.#nextQuestion = 0;
      return;
    }
    this.#upstreams = known;
    this.#loading = undefined;
    this.#problem = undefined;
  }
}
