// Session states in records that several processes share: no change is lost, and a cached state survives an outage of the records.
import { isMcpError } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import type { VersionedState } from "./known-sessions.ts";
import type { SessionState } from "./session-store.ts";
import { createSharedSessionStore, type SharedSessionStore } from "./shared-session-store.ts";
import { describeSessionStore } from "./store-contracts.ts";

/** A database in memory, and the stores of the processes that use it. */
class Database {
  readonly rows = new Map<string, VersionedState>();
  readonly stores: SharedSessionStore[] = [];
  isAway = false;
  areAnnouncementsLost = false;

  join(): SharedSessionStore {
    const store: SharedSessionStore = createSharedSessionStore<number>(
      {
        read: (id) => this.#reach(() => ({ stamp: this.rows.get(id)?.version ?? 0, found: this.rows.get(id) })),
        write: (id, state, { stamp, newest }) =>
          this.#reach(() => {
            if ((this.rows.get(id)?.version ?? 0) !== stamp) return undefined;
            this.rows.set(id, { version: newest + 1, state });
            return newest + 1;
          }),
        delete: (id) => this.#reach(() => this.rows.delete(id)),
        announce: (id, state) =>
          this.#reach(() => {
            if (this.areAnnouncementsLost) throw new Error("lost");
            for (const other of this.stores) if (other !== store && other.isOfInterest(id)) other.learn(id, state);
          }),
      },
      { maxAgeMs: 60_000 },
    );
    this.stores.push(store);
    return store;
  }

  async #reach<T>(answer: () => T): Promise<T> {
    await Promise.resolve();
    if (this.isAway) throw new Error("connection refused");
    return answer();
  }
}

const addTask = (id: string) => (state: SessionState) => ({ ...state, tasks: [...(state.tasks ?? []), id] });

describe("createSharedSessionStore", () => describeSessionStore({ it }, () => new Database().join()));

it("loses no change of two processes that change one session at the same time", async () => {
  const database = new Database();
  const [one, other] = [database.join(), database.join()];
  const ids = Array.from({ length: 100 }, (_, index) => `${index}`);
  await Promise.all(ids.map((id, index) => (index % 2 ? one : other).update("s", addTask(id))));
  const sorted = (state: SessionState | undefined) => [...(state?.tasks ?? [])].sort();
  expect(sorted(await one.get("s"))).toEqual([...ids].sort());
  expect(sorted(await other.get("s"))).toEqual([...ids].sort());
});

it("returns the cached state while the records are away, and rejects changes as retryable", async () => {
  const database = new Database();
  const store = database.join();
  await store.update("s", addTask("1"));
  database.isAway = true;
  expect(await store.get("s")).toEqual({ tasks: ["1"] });
  expect(await store.get("unread")).toBeUndefined();
  const error = await Promise.resolve(store.update("s", addTask("2"))).catch((reason: unknown) => reason);
  expect(isMcpError(error) && error.message).toBe("session state cannot be written now");
  database.isAway = false;
  await store.update("s", addTask("3"));
  expect(await store.get("s")).toEqual({ tasks: ["1", "3"] });
});

it("keeps a change whose announcement is lost", async () => {
  const database = new Database();
  const [one, other] = [database.join(), database.join()];
  await other.get("s");
  database.areAnnouncementsLost = true;
  await one.update("s", addTask("1"));
  await other.update("s", addTask("2"));
  expect(await other.get("s")).toEqual({ tasks: ["1", "2"] });
});

it("gives a change a higher version than the process knows after the records were lost", async () => {
  const database = new Database();
  const store = database.join();
  for (const id of ["1", "2", "3"]) await store.update("s", addTask(id));
  database.rows.clear();
  await store.update("s", addTask("4"));
  expect(database.rows.get("s")).toEqual({ version: 4, state: { tasks: ["1", "2", "3", "4"] } });
});
