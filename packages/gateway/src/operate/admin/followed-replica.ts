// Asks one other replica for its new exchanges and its figures, again and again, for the event streams that are open here.
import { type ExchangeQuery, isWanted } from "../observe/exchange-ring.ts";
import { changedLists } from "./answers/new-exchanges.ts";
import { type ListName, type NewExchanges, numberOf } from "./api/replica-question.ts";
import { type ExchangeReader, type ReadExchanges, SharedExchange } from "./exchange-reader.ts";
import { readNewExchanges } from "./fleet/answer-shapes.ts";
import { FollowedFigures } from "./fleet/followed-figures.ts";

/** Exchanges kept of each other replica. */
const maxKept = 200;
const askEveryMs = 500;
/** The pause where the last answer left exchanges out. */
const shortPauseMs = 100;
/** The pause after a question without an answer. */
const failedPauseMs = 1_000;

export interface FollowedReplicaOptions {
  readonly replica: string;
  /** Rejects when the replica does not answer. Without `from`, the last exchanges. */
  ask(query: Readonly<Record<string, string>>): Promise<unknown>;
  onExchanges(): void;
  /** Called when it is clear whether there are figures. */
  onFirstFigures(): void;
  onListsChanged(lists: readonly ListName[]): void;
}

export class FollowedReplica implements ExchangeReader {
  readonly replica: string;
  readonly figures: FollowedFigures;
  readonly #options: FollowedReplicaOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #kept: readonly SharedExchange[] = [];
  /** The number of the last exchange that the replica considered. Undefined before its first answer. */
  #last: number | undefined;
  #leftOut = 0;
  #lists: NewExchanges["lists"] | undefined;
  #problem: string | undefined;

  constructor(options: FollowedReplicaOptions) {
    this.replica = options.replica;
    this.figures = new FollowedFigures(options.replica);
    this.#options = options;
    void this.#ask();
  }

  /** Why the replica did not answer the last question. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get leftOut(): number {
    return this.#leftOut;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  begin(limit: number | undefined): number | undefined {
    if (this.#last === undefined) return undefined;
    const [oldest] = this.#kept;
    const beforeKept = oldest ? oldest.number - 1 : this.#last;
    return limit === undefined ? beforeKept : Math.max(beforeKept, this.#last - limit);
  }

  read(after: number, { limit = maxKept, ...wanted }: ExchangeQuery): ReadExchanges {
    const exchanges: SharedExchange[] = [];
    let last = after;
    let missed = 0;
    for (const shared of this.#kept) {
      const { number } = shared;
      if (number <= last) continue;
      if (exchanges.length === limit) return { exchanges, last, missed, hasMore: true };
      missed += number - last - 1;
      last = number;
      if (isWanted(shared.exchange, wanted)) exchanges.push(shared);
    }
    return { exchanges, last, missed, hasMore: false };
  }

  /** Asks once, and then again after a pause. Never rejects. */
  async #ask(): Promise<void> {
    let pause = askEveryMs;
    const wasAwaited = this.figures.isAwaited;
    const ofFigures = this.figures.query();
    try {
      const from = this.#last === undefined ? {} : { from: String(this.#last + 1) };
      const answer: NewExchanges & { readonly figures?: unknown } = readNewExchanges(
        await this.#options.ask({ ...from, ...ofFigures }),
      );
      this.#problem = undefined;
      if (this.#isStopped) return;
      this.#keep(answer);
      if (ofFigures.figures !== undefined) this.figures.keep(answer.figures);
      if (answer.hasMore || this.figures.isLoading) pause = shortPauseMs;
    } catch (error) {
      this.#problem = (error as Error).message;
      this.figures.failed(this.#problem);
      pause = failedPauseMs;
    }
    if (this.#isStopped) return;
    if (wasAwaited && !this.figures.isAwaited) this.#options.onFirstFigures();
    this.#timer = setTimeout(() => void this.#ask(), pause).unref();
  }

  #keep({ exchanges, last, leftOut = 0, lists }: NewExchanges): void {
    const changed = changedLists(this.#lists, lists);
    this.#lists = lists;
    const isFirst = this.#last === undefined;
    this.#last = last;
    this.#leftOut = leftOut;
    const added = exchanges.map((exchange) => new SharedExchange(exchange, numberOf(exchange)));
    if (added.length > 0) this.#kept = [...this.#kept, ...added].slice(-maxKept);
    if (isFirst || exchanges.length > 0) this.#options.onExchanges();
    if (changed.length > 0) this.#options.onListsChanged(changed);
  }
}
