// The events of older clients' streams, in the memory of the parent, and the workers that follow them.
import { createMemoryEventLog, type EventLog, type Following, type StreamName } from "../../legacy/shared/event-log.ts";
import { type AskingWorker, type Operation, Spaces } from "./spaces.ts";

/** An event of a followed stream: its number and text, or its end. */
export type StreamEvent = readonly [seq: number, text: string] | "end";

export class EventHost {
  readonly #logs = new Spaces<EventLog>(() => createMemoryEventLog());
  /** The followed streams of each worker. */
  readonly #following = new Map<number, Map<number, Following>>();
  readonly operations: { readonly [name: string]: Operation } = {
    "events.begin": (_, space: string, stream: StreamName) => this.#logs.at(space).begin(stream),
    "events.append": (_, space: string, stream: StreamName, seq: number, text: string) =>
      this.#logs.at(space).append(stream, seq, text),
    "events.end": (_, space: string, stream: StreamName) => this.#logs.at(space).end(stream),
    "events.follow": (worker, space: string, stream: StreamName, after: number, subscription: number) =>
      this.#follow(worker, this.#logs.at(space), { stream, after, subscription }),
    "events.unfollow": ({ number }, subscription: number) => this.#unfollow(number, subscription),
  };

  workerEnded(number: number): void {
    for (const { stop } of this.#following.get(number)?.values() ?? []) stop();
    this.#following.delete(number);
  }

  /** The events that are stored already come before the answer. */
  async #follow(
    { number, onEvent }: AskingWorker,
    log: EventLog,
    { stream, after, subscription }: { stream: StreamName; after: number; subscription: number },
  ): Promise<{ readonly isEnded: boolean } | undefined> {
    const following = await log.follow(stream, after, {
      event: (seq, text) => onEvent(subscription, [seq, text] satisfies StreamEvent),
      end: () => onEvent(subscription, "end" satisfies StreamEvent),
    });
    if (!following) return undefined;
    const { isEnded } = following;
    if (isEnded) return { isEnded };
    const own = this.#following.get(number) ?? new Map<number, Following>();
    this.#following.set(number, own.set(subscription, following));
    return { isEnded };
  }

  #unfollow(number: number, subscription: number): void {
    const own = this.#following.get(number);
    own?.get(subscription)?.stop();
    own?.delete(subscription);
  }
}
