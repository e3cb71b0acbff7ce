// What programs with stores of their own use of @lethe/server/stores and /sealing, and each used once in a wrong way.
import {
  createMessageCipher,
  createTaskCipher,
  knownSharedKeys,
  type MessageCipher,
  ringOf,
  type SharedKeys,
  type TaskCipher,
  toStoredTask,
} from "@lethe/server/sealing";
import {
  createLocalDirectory,
  createSharedSessionStore,
  createTurns,
  culpritOf,
  type Directory,
  findAddressProblem,
  findDirectProblems,
  formatHostAndPort,
  type HostAndPort,
  type KeyRing,
  knownSharedSessionStoreOptions,
  lossDelayMs,
  type NewTask,
  outcomeOf,
  type Placement,
  parseHostAndPort,
  type SessionRecords,
  type SharedSessionStore,
  type StoreDefaults,
  type StoredTask,
  storeDefaults,
  type TakeTurns,
  type TaskOutcome,
  withHoldOf,
} from "@lethe/server/stores";

const keys = `k1:${"A".repeat(43)}`;
const options: SharedKeys = { keys };
export const names: string[] = Object.keys(knownSharedKeys);
const ring: KeyRing = ringOf(options, "notes");
export const messages: MessageCipher = await createMessageCipher(ring, { purpose: "notes", maxBytes: 1_000 });
export const cipher: TaskCipher = await createTaskCipher(options, 1_000);

declare const state: NewTask;
const task: StoredTask = toStoredTask(state, { createdAt: 1, worker: "w", fence: 1, losses: 0, deaths: 0 });
const becomes: TaskOutcome = outcomeOf(task, { ...task, status: "cancelled" });
export const changed: StoredTask = withHoldOf(task, task, becomes);
export const culprit: StoredTask | undefined = culpritOf([task]);
declare const records: SessionRecords<string>;
export const sessions: SharedSessionStore = createSharedSessionStore(records, { maxSessions: 10 });
// @ts-expect-error an age is a number
createSharedSessionStore(records, { maxAgeMs: "10" });
export const sessionOptions: string[] = Object.keys(knownSharedSessionStoreOptions);
export const takeTurn: TakeTurns = createTurns();
export const delayMs: number = lossDelayMs(3);
export const defaults: StoreDefaults["events"] = storeDefaults.events;
export const listens: HostAndPort | undefined = parseHostAndPort("0.0.0.0:7411");
export const address: string = formatHostAndPort({ host: "::1", port: 7411 });
// @ts-expect-error a port is a number
formatHostAndPort({ host: "::1", port: "7411" });
export const problem: string | undefined = findAddressProblem("h:0", 1);
export const problems: [setting: string, text: string][] = findDirectProblems("0.0.0.0:0", undefined);

// @ts-expect-error a purpose is missing
await createMessageCipher(ring, { maxBytes: 1_000 });
// @ts-expect-error a ring, not its text
await createMessageCipher(keys, { purpose: "notes", maxBytes: 1_000 });
// @ts-expect-error a size is missing
await createTaskCipher(options);
// @ts-expect-error no such limit
findAddressProblem("h:0", 2);
// @ts-expect-error no such outcome
withHoldOf(task, task, "done");

const placement: Placement = {
  exchange: async (note) => new Map([["other", note]]),
  isOwned: async (key) => key === "a",
};
export const placed: Directory = { ...createLocalDirectory(), placement };
// @ts-expect-error: notes are text
await placement.exchange({ room: 1 }, { ttlMs: 4_000, max: 100 });
