// The functions of @lethe/postgres: what they return, and each used once in a wrong way.
import {
  type CheckedPostgres,
  checkPostgres,
  connectPostgres,
  createPostgresBus,
  createPostgresClientMessageRelay,
  createPostgresDirectory,
  createPostgresEventLog,
  createPostgresRateCounter,
  createPostgresServerOptions,
  createPostgresSessionStateStore,
  createPostgresSessionStore,
  createPostgresSingleUseStore,
  createPostgresStreamRelay,
  createPostgresTaskStore,
  type PostgresConnection,
  type PostgresOptions,
  PostgresUnavailableError,
  type SharedServerOptions,
  shareByPostgres,
  UnusablePostgresError,
} from "@lethe/postgres";
import { createServer, type ServerOptions } from "@lethe/server";
import { rateLimit } from "@lethe/server/middleware";
import {
  type Bus,
  type ClientMessageRelay,
  createKeyRing,
  type Directory,
  type EventLog,
  type RateCounter,
  type SessionStateStore,
  type SessionStore,
  type SingleUseStore,
  type StreamRelay,
  type TaskStore,
} from "@lethe/server/stores";

const url = "postgres://lethe@127.0.0.1:5432/lethe";
const options: PostgresOptions = { url, prefix: "shop:", maxConnections: 4, timeoutMs: 2_000 };
const postgres: PostgresConnection = await connectPostgres(options);
const keys = `k1:${"A".repeat(43)}`;

// All stores at once, for a server.
const shared: SharedServerOptions = await createPostgresServerOptions(postgres, { keys });
const serverOptions: ServerOptions = shared;
createServer({ name: "shop", version: "1.0.0" }, { ...serverOptions, instructions: "Buy tea." });

// One store at a time.
export const stores: [Bus, SessionStateStore, SingleUseStore, TaskStore] = await Promise.all([
  createPostgresBus(postgres, { keys }),
  createPostgresSessionStateStore(postgres, { keys, maxBytes: 65_536 }),
  createPostgresSingleUseStore(postgres, { keys }),
  createPostgresTaskStore(postgres, { keys }),
]);
export const legacy: [ClientMessageRelay, EventLog, SessionStore, StreamRelay] = await Promise.all([
  createPostgresClientMessageRelay(postgres, { keys }),
  createPostgresEventLog(postgres, { keys }),
  createPostgresSessionStore(postgres, { keys }),
  createPostgresStreamRelay(postgres, { keys }),
]);
const ring = createKeyRing(keys);
const own = { ring, dispatchAt: () => undefined, onProblem: console.error };
const directory: Directory = await createPostgresDirectory({ postgres, ...own, leaseMs: 5_000 });
directory.release("session");
const share = await shareByPostgres({ settings: { url, leaseMs: 5_000 }, ...own, onLost() {}, onBack() {} });
export const isReached: boolean = share.status.isReached;
export const checked: CheckedPostgres = await checkPostgres({ url, commandTimeoutMs: 500 });
const counter: RateCounter = createPostgresRateCounter(postgres);
rateLimit({ perCaller: 60, counter });
export const isReadOnly = (error: unknown): boolean =>
  error instanceof UnusablePostgresError && error.reason === "read_only";
export const isAway = (error: unknown): boolean => error instanceof PostgresUnavailableError;
export const rows: readonly { one: number }[] = await postgres.run({ name: "one", text: "SELECT 1 AS one" }, []);

// @ts-expect-error url is missing
await connectPostgres({ prefix: "shop:" });
// @ts-expect-error options, not a URL
await connectPostgres(url);
// @ts-expect-error a connection comes first
await createPostgresServerOptions({ keys });
// @ts-expect-error key
await createPostgresServerOptions(postgres, { key: keys });
// @ts-expect-error no such option
await createPostgresBus(postgres, { channel: "changes" });
// @ts-expect-error no such option
await createPostgresClientMessageRelay(postgres, { ttl: 1_000 });
// @ts-expect-error no such option
await createPostgresEventLog(postgres, { ttl: 1_000 });
// @ts-expect-error no such option
await createPostgresSessionStore(postgres, { ttl: 1_000 });
// @ts-expect-error a connection is missing
await createPostgresStreamRelay();
// @ts-expect-error no such option
createPostgresRateCounter(postgres, { perCaller: 60 });
// @ts-expect-error maxBytes is a number
await createPostgresSessionStateStore(postgres, { keys, maxBytes: "64kb" });
// @ts-expect-error keys is text or a list
await createPostgresSingleUseStore(postgres, { keys: 1 });
// @ts-expect-error no such option
await createPostgresTaskStore(postgres, { ttl: 1_000 });
// @ts-expect-error a statement, not a text
await postgres.run("SELECT 1", []);
// @ts-expect-error: replicas need the keys of the deployment
await createPostgresDirectory({ postgres, dispatchAt: () => undefined, onProblem: console.error });
// @ts-expect-error: a URL, not a connection
await shareByPostgres({ settings: { postgres }, ...own, onLost() {}, onBack() {} });
// @ts-expect-error: settings, not a URL
await checkPostgres(url);
