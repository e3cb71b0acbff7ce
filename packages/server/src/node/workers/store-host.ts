// The stores that workers share, in the memory of their parent. Each operation has a name and takes JSON. Stores of the same kind are
// kept apart by the name of their space: each server of a program has its own.
import type { JournalEntry } from "../../interaction/journal.ts";
import { createMemoryEventLog, type EventLog, type Following, type StreamName } from "../../legacy/shared/event-log.ts";
import { createMemoryRateCounter, type Rate } from "../../middleware/rate-counter.ts";
import { createMemorySingleUseStore } from "../../seal/memory-single-use-store.ts";
import type { Round, SingleUseStore } from "../../seal/single-use-store.ts";
import { Records } from "./records.ts";
import { SessionOwners } from "./session-owners.ts";
import { TaskHost } from "./task-host.ts";

/** The worker that asks. */
export interface AskingWorker {
  readonly number: number;
  readonly id: string;
  /** Sends an event of a subscription. */
  onEvent(subscription: number, event: unknown): void;
}

/** An event of a followed stream: its number and text, or its end. */
export type StreamEvent = readonly [seq: number, text: string] | "end";

type Operation = (worker: AskingWorker, ...given: never[]) => unknown;

/** More kinds of servers in one program are a mistake. */
const maxSpaces = 256;

export class StoreHost {
  readonly owners: SessionOwners = new SessionOwners();
  readonly #records = new Spaces(() => new Records());
  readonly #rates = new Spaces(() => createMemoryRateCounter());
  readonly #singleUse = new Spaces<SingleUseStore>(() => createMemorySingleUseStore());
  readonly #tasks = new Spaces(() => new TaskHost());
  readonly #events = new Spaces<EventLog>(() => createMemoryEventLog());
  /** The followed streams of each worker. */
  readonly #following = new Map<number, Map<number, Following>>();
  readonly #operations: { readonly [name: string]: Operation } = {
    acquire: ({ id }, key: string) => this.owners.acquire(id, key),
    release: ({ id }, key: string) => this.owners.release(id, key),
    "records.read": (_, space: string, key: string) => this.#records.at(space).read(key),
    "records.write": (_, space: string, key: string, text: string, options: { expected: number; ttlMs: number }) =>
      this.#records.at(space).write(key, text, options),
    "records.delete": (_, space: string, key: string, expected?: number) =>
      this.#records.at(space).delete(key, expected ?? undefined),
    "rates.take": (_, space: string, callerId: string | null, rate: Rate) =>
      this.#rates.at(space).take(callerId ?? undefined, rate),
    "once.claim": (_, space: string, round: Round) => this.#singleUse.at(space).claim(round),
    "once.settle": (_, space: string, round: Round, answer?: string | null) =>
      this.#singleUse.at(space).settle(round, answer ?? undefined),
    "once.release": (_, space: string, round: Round) => this.#singleUse.at(space).release(round),
    "tasks.create": (
      { number },
      space: string,
      ...given: Parameters<TaskHost["create"]> extends [number, ...infer R] ? R : never
    ) => this.#tasks.at(space).create(number, ...given),
    "tasks.read": (_, space: string, taskId: string) => this.#tasks.at(space).read(taskId),
    "tasks.replace": (_, space: string, ...given: Parameters<TaskHost["replace"]>) =>
      this.#tasks.at(space).replace(...given),
    "tasks.append": (
      _,
      space: string,
      held: { taskId: string; fence: number },
      position: number,
      entries: JournalEntry[],
    ) => this.#tasks.at(space).store.append(held, position, entries),
    "tasks.acquire": (
      { number },
      space: string,
      ...given: Parameters<TaskHost["acquire"]> extends [number, ...infer R] ? R : never
    ) => this.#tasks.at(space).acquire(number, ...given),
    "tasks.renew": ({ number }, space: string, worker: string, leaseMs: number) =>
      this.#tasks.at(space).renew(number, worker, leaseMs),
    "tasks.retire": (_, space: string, worker: string) => this.#tasks.at(space).store.retire(worker),
    "tasks.counts": (_, space: string) => this.#tasks.at(space).store.counts(),
    "tasks.sweep": (_, space: string) => this.#tasks.at(space).store.sweep(),
    "events.begin": (_, space: string, stream: StreamName) => this.#events.at(space).begin(stream),
    "events.append": (_, space: string, stream: StreamName, seq: number, text: string) =>
      this.#events.at(space).append(stream, seq, text),
    "events.end": (_, space: string, stream: StreamName) => this.#events.at(space).end(stream),
    "events.follow": (worker, space: string, stream: StreamName, after: number, subscription: number) =>
      this.#follow(worker, this.#events.at(space), { stream, after, subscription }),
    "events.unfollow": ({ number }, subscription: number) => this.#unfollow(number, subscription),
  };

  /** Runs one operation. Throws, or rejects, as the store does. */
  run(worker: AskingWorker, name: string, given: readonly unknown[]): unknown {
    const operation = this.#operations[name];
    if (!operation) throw new Error(`the parent of this worker has no operation ${name}: both must be of one version`);
    return operation(worker, ...(given as never[]));
  }

  workerLeaves({ id }: { readonly id: string }): void {
    this.owners.leave(id);
  }

  workerEnded({ id, number }: { readonly id: string; readonly number: number }): void {
    this.owners.ended(id);
    for (const tasks of this.#tasks.all()) tasks.workerEnded(number);
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

/** One store per space. */
class Spaces<Store> {
  readonly #create: () => Store;
  readonly #stores = new Map<string, Store>();

  constructor(create: () => Store) {
    this.#create = create;
  }

  at(space: string): Store {
    const known = this.#stores.get(space);
    if (known) return known;
    if (this.#stores.size >= maxSpaces) throw new Error(`at most ${maxSpaces} servers can share stores`);
    const store = this.#create();
    this.#stores.set(space, store);
    return store;
  }

  all(): Iterable<Store> {
    return this.#stores.values();
  }
}
