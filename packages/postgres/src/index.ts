// The entry point of @lethe/postgres: state that several processes of a server share, in PostgreSQL.
export type { SharedKeys } from "@lethe/server/sealing";
export { type CheckedPostgres, checkPostgres } from "./check-postgres.ts";
export {
  connectPostgres,
  type PostgresConnection,
  type PostgresOptions,
} from "./connection/postgres-connection.ts";
export { PostgresUnavailableError } from "./connection/postgres-error.ts";
export type { PostgresLink, Run, Statement, Value } from "./connection/postgres-link.ts";
export { UnusablePostgresError, type UnusablePostgresReason } from "./connection/unusable-postgres-error.ts";
export {
  createPostgresServerOptions,
  type PostgresServerOptions,
  type SharedServerOptions,
} from "./create-postgres-server-options.ts";
export {
  createPostgresClientMessageRelay,
  type PostgresClientMessageRelayOptions,
} from "./legacy/postgres-client-message-relay.ts";
export { createPostgresEventLog, type PostgresEventLogOptions } from "./legacy/postgres-event-log.ts";
export { createPostgresSessionStore, type PostgresSessionStoreOptions } from "./legacy/postgres-session-store.ts";
export { createPostgresStreamRelay, type PostgresStreamRelayOptions } from "./legacy/postgres-stream-relay.ts";
export { createPostgresRateCounter, type PostgresRateCounterOptions } from "./limits/postgres-rate-counter.ts";
export type { PostgresRecords } from "./records/postgres-records.ts";
export type { PostgresDirectoryOptions } from "./replicas/directory-options.ts";
export type { ReplicaChange } from "./replicas/membership.ts";
export { createPostgresDirectory, type PostgresDirectory } from "./replicas/postgres-directory.ts";
export type { TimingOptions } from "./replicas/timings.ts";
export { createPostgresSingleUseStore, type PostgresSingleUseOptions } from "./seal/postgres-single-use-store.ts";
export {
  createPostgresSessionStateStore,
  type PostgresSessionStateStoreOptions,
} from "./sessions/postgres-session-state-store.ts";
export {
  type PostgresProblem,
  type PostgresShare,
  type PostgresShareOptions,
  type PostgresShareSettings,
  type PostgresShareStatus,
  shareByPostgres,
} from "./share-by-postgres.ts";
export { createPostgresBus, type PostgresBusOptions } from "./subscriptions/postgres-bus.ts";
export { createPostgresTaskStore, type PostgresTaskStoreOptions } from "./tasks/postgres-task-store.ts";
