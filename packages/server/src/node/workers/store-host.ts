// The stores that workers share, in the memory of their parent. Each operation has a name and takes JSON. Stores of the same kind are
// kept apart by the name of their space: each server of a program has its own.
import type { JournalEntry } from "../../interaction/journal.ts";
import { createMemoryRateCounter, type Rate } from "../../middleware/rate-counter.ts";
import type { RateUnits } from "../../middleware/rate-store.ts";
import { createMemorySingleUseStore } from "../../seal/memory-single-use-store.ts";
import type { Round, SingleUseStore } from "../../seal/single-use-store.ts";
import { EventHost } from "./event-host.ts";
import { Records } from "./records.ts";
import { SessionOwners } from "./session-owners.ts";
import { type AskingWorker, type Operation, Spaces } from "./spaces.ts";
import { TaskHost } from "./task-host.ts";
import { WorkerNotes } from "./worker-notes.ts";

export class StoreHost {
  readonly owners: SessionOwners = new SessionOwners();
  readonly #notes = new WorkerNotes();
  readonly #records = new Spaces(() => new Records());
  readonly #rates = new Spaces(() => createMemoryRateCounter());
  readonly #singleUse = new Spaces<SingleUseStore>(() => createMemorySingleUseStore());
  readonly #tasks = new Spaces(() => new TaskHost());
  readonly #events = new EventHost();
  readonly #operations: { readonly [name: string]: Operation } = {
    acquire: ({ id }, key: string) => this.owners.acquire(id, key),
    release: ({ id }, key: string) => this.owners.release(id, key),
    owned: (_, key: string) => this.owners.isOwned(key),
    "notes.exchange": ({ id }, text: string, ttlMs: number) => this.#notes.exchange(id, text, ttlMs),
    "records.read": (_, space: string, key: string) => this.#records.at(space).read(key),
    "records.write": (_, space: string, key: string, text: string, options: { expected: number; ttlMs: number }) =>
      this.#records.at(space).write(key, text, options),
    "records.delete": (_, space: string, key: string, expected?: number) =>
      this.#records.at(space).delete(key, expected ?? undefined),
    "rates.reserve": (_, space: string, callerId: string | null, rate: Rate, units: RateUnits) =>
      this.#rates.at(space).reserve(callerId ?? undefined, rate, units),
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
    ...this.#events.operations,
  };

  /** Runs one operation. Throws, or rejects, as the store does. */
  run(worker: AskingWorker, name: string, given: readonly unknown[]): unknown {
    const operation = this.#operations[name];
    if (!operation) throw new Error(`the parent of this worker has no operation ${name}: both must be of one version`);
    return operation(worker, ...(given as never[]));
  }

  workerLeaves({ id }: { readonly id: string }): void {
    this.owners.leave(id);
    this.#notes.drop(id);
  }

  workerEnded({ id, number }: { readonly id: string; readonly number: number }): void {
    this.owners.ended(id);
    this.#notes.drop(id);
    for (const tasks of this.#tasks.all()) tasks.workerEnded(number);
    this.#events.workerEnded(number);
  }
}
