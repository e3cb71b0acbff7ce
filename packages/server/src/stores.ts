// The entry point @lethe/server/stores: what several processes share. Each interface comes with its in-memory implementation
// and with a contract suite that any other implementation must pass.

export { type Clock, every, pause, systemClock } from "./clock/clock.ts";
export { describeBus } from "./contracts/bus.ts";
export { describeDirectory } from "./contracts/directory.ts";
export { describeRateCounter } from "./contracts/rate-counter.ts";
export { describeRateStore } from "./contracts/rate-store.ts";
export { describeSessionStateStore } from "./contracts/session-state-store.ts";
export { describeSingleUseStore } from "./contracts/single-use-store.ts";
export { describeTaskStore } from "./contracts/task-store.ts";
export type { TestRunner } from "./contracts/test-runner.ts";
export {
  type ClientMessage,
  type ClientMessageRelay,
  createMemoryClientMessageRelay,
  type MemoryClientMessageRelayOptions,
} from "./legacy/shared/client-message-relay.ts";
export {
  createMemoryEventLog,
  type EventLog,
  type Follower,
  type Following,
  type MemoryEventLogOptions,
  type StreamName,
} from "./legacy/shared/event-log.ts";
export type { KnownSessionsLimits, VersionedState } from "./legacy/shared/known-sessions.ts";
export type { LegacyOptions } from "./legacy/shared/legacy-options.ts";
export {
  createMemorySessionStore,
  type MemorySessionStoreOptions,
  type SessionState,
  type SessionStore,
} from "./legacy/shared/session-store.ts";
export {
  createSharedSessionStore,
  knownSharedSessionStoreOptions,
  type SessionRecords,
  type SharedSessionStore,
  type SharedSessionStoreOptions,
} from "./legacy/shared/shared-session-store.ts";
export { describeClientMessageRelay, describeEventLog, describeSessionStore } from "./legacy/shared/store-contracts.ts";
export type { RelayedPost, StreamRelay } from "./legacy/shared/stream-relay.ts";
export {
  createMemoryRateCounter,
  type MemoryRateCounter,
  type MemoryRateCounterOptions,
  type Rate,
  type RateCounter,
} from "./middleware/rate-counter.ts";
export type { RateReservation, RateStore, RateUnits } from "./middleware/rate-store.ts";
export { createSharedRateCounter, type SharedRateCounterOptions } from "./middleware/shared-rate-counter.ts";
export {
  type Acquired,
  type AcquireOptions,
  createLocalDirectory,
  type Directory,
  type Placement,
} from "./replicas/directory.ts";
export {
  findAddressProblem,
  findDirectProblems,
  formatHostAndPort,
  type HostAndPort,
  parseHostAndPort,
} from "./replicas/host-and-port.ts";
export { isReplicaError, ReplicaError, type ReplicaFailure } from "./replicas/replica-error.ts";
export { type StoreDefaults, storeDefaults } from "./replicas/store-defaults.ts";
export { createTurns, type TakeTurns } from "./replicas/take-turns.ts";
export { type AnswerLimits, AnswerShares } from "./seal/answer-shares.ts";
export { keysFromEnvironment } from "./seal/environment-keys.ts";
export { createKeyRing, type KeyRing, type SealKey } from "./seal/key-ring.ts";
export {
  createMemorySingleUseStore,
  type MemorySingleUseOptions,
  type SingleUseLimits,
} from "./seal/memory-single-use-store.ts";
export type { Claim, Round, SingleUseStore } from "./seal/single-use-store.ts";
export {
  createMemorySessionStateStore,
  type MemorySessionStateStoreOptions,
} from "./session/memory-session-state-store.ts";
export type { SessionStateStore, StoredSession } from "./session/session-state-store.ts";
export { type Bus, createMemoryBus } from "./subscriptions/bus.ts";
export type { Change, ChangeKind } from "./subscriptions/change.ts";
export { createMemoryTaskStore, type MemoryTaskStore, type MemoryTaskStoreOptions } from "./tasks/memory-task-store.ts";
export { fromPreviousFormat } from "./tasks/previous-format.ts";
export type { StoredTask, TaskHold, TaskInputRequests, TaskRounds, TaskWork } from "./tasks/stored-task.ts";
export { culpritOf, outcomeOf, type TaskOutcome, withHoldOf } from "./tasks/task-hold.ts";
export type { TaskMeter } from "./tasks/task-meter.ts";
export { requireRoom, type TaskUsage } from "./tasks/task-room.ts";
export type { TasksOptions } from "./tasks/task-settings.ts";
export {
  type AcquiredTask,
  type AcquireRequest,
  type CreateOptions,
  type HeldTask,
  lossDelayMs,
  type NewTask,
  storeUnavailable,
  type TaskCounts,
  type TaskLimits,
  type TaskStore,
} from "./tasks/task-store.ts";
