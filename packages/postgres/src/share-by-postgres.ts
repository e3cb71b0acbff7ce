// The shared state of gateway replicas in PostgreSQL, for the `shareByPostgres` option of `serveGateway`.

import { checkOptions, type KnownOptions, pickOptions } from "@lethe/protocol";
import { requireSameKeys } from "@lethe/server/forwarding";
import type { RateCounter, SingleUseStore } from "@lethe/server/stores";
import { connectPostgres, type PostgresConnection, type PostgresOptions } from "./connection/postgres-connection.ts";
import { UnusablePostgresError } from "./connection/unusable-postgres-error.ts";
import { type SharedSessions, shareSessions } from "./legacy/share-sessions.ts";
import { createPostgresRateCounter } from "./limits/postgres-rate-counter.ts";
import { createPostgresRecords, type PostgresRecords } from "./records/postgres-records.ts";
import { knownPostgresDirectoryOptions, type PostgresDirectoryOptions } from "./replicas/directory-options.ts";
import { createPostgresDirectory, type PostgresDirectory } from "./replicas/postgres-directory.ts";
import { toTimings } from "./replicas/timings.ts";
import { createPostgresSingleUseStore } from "./seal/postgres-single-use-store.ts";

/** Options of `shareByPostgres`. */
export interface PostgresShareOptions
  extends Pick<PostgresDirectoryOptions, "ring" | "dispatchAt" | "onProblem" | "onReplica" | "lookupMs"> {
  /** The database. */
  readonly settings: PostgresShareSettings;
  /** Has no effect: replicas reach each other through PostgreSQL only. */
  readonly listens?: { readonly host: string; readonly port: number } | undefined;
  /** Called once when PostgreSQL becomes unreachable or stops answering, with the reason. */
  onLost(reason: string): void;
  /** Called when PostgreSQL answers again. */
  onBack(): void;
  /** Called once when PostgreSQL rejects what replicas need, also new connections after a loss. Default: no report. */
  onTrouble?(problem: PostgresProblem): void;
  /** Called when such a problem has ended. Default: no report. */
  onSolved?(reason: PostgresProblem["reason"]): void;
  /** Never called: there are no direct connections. */
  onLink?(change: never): void;
}

/** The database that replicas share. */
export interface PostgresShareSettings extends Pick<PostgresOptions, "url" | "prefix" | "maxConnections"> {
  /** How long a replica that was killed, stands still or is cut off from PostgreSQL keeps its sessions, in ms. Default 5,000. */
  readonly leaseMs?: number;
  /** Timeout of one statement, in ms. Default 5,000. */
  readonly commandTimeoutMs?: number;
}

/** A reason why PostgreSQL cannot be used, and its remedy. */
export interface PostgresProblem {
  /** `unreachable`: there is no connection, or no answer. `refused`: PostgreSQL answers, and does not renew the lease. */
  readonly reason: "unreachable" | "refused";
  /** What is wrong and what to do. */
  readonly text: string;
}

export const knownPostgresShareSettings: KnownOptions<PostgresShareSettings> = {
  url: "a string",
  prefix: true,
  maxConnections: true,
  leaseMs: true,
  commandTimeoutMs: true,
};

const knownPostgresShareOptions: KnownOptions<PostgresShareOptions> = {
  settings: knownPostgresShareSettings,
  listens: true,
  onLost: "a function",
  onBack: "a function",
  onTrouble: true,
  onSolved: true,
  onLink: true,
  ring: "an object",
  dispatchAt: "a function",
  onProblem: "a function",
  onReplica: true,
  lookupMs: true,
};

/** How long statements may take that run when the shared state closes, in ms. */
const closeMs = 500;

/** The state that the replicas of a gateway share. `serveGateway` of `lethe/gateway` accepts it as its `SharedState`. */
export interface PostgresShare extends Pick<PostgresDirectory, "leave" | "close"> {
  readonly directory: PostgresDirectory;
  readonly rates: RateCounter;
  readonly legacy: SharedSessions;
  readonly singleUse: SingleUseStore;
  /** Records of the tasks that gateways make of long calls. */
  readonly taskRecords: PostgresRecords;
  readonly status: PostgresShareStatus;
  /** The ids of the other replicas that are alive. */
  others(): readonly string[];
}

/** Whether this replica reaches PostgreSQL and the other replicas, and how much it shares. */
export interface PostgresShareStatus
  extends Pick<PostgresDirectory, "leases" | "sent" | "received" | "replicas" | "replicasLost" | "leaseAgeMs"> {
  /** False while PostgreSQL cannot be reached or does not answer. */
  readonly isReached: boolean;
  /** What is wrong with PostgreSQL. */
  readonly problems: readonly PostgresProblem[];
  /** Always false: a replica without PostgreSQL does not know whether others reach it. */
  readonly isCutOff: boolean;
}

/**
 * Connects a gateway replica to PostgreSQL. Rejects with an Error that names the reason when PostgreSQL is unreachable, when the keys
 * are ephemeral, or when `leaseMs` is not a time.
 *
 * @example
 * import { shareByPostgres } from "@lethe/postgres";
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const shared = await shareByPostgres({
 *   settings: { url: "postgres://lethe@127.0.0.1:5432/lethe" },
 *   ring: createKeyRing(`k1:${"A".repeat(43)}`),
 *   dispatchAt: () => undefined,
 *   onLost: console.error,
 *   onBack: () => {},
 *   onProblem: console.error,
 * });
 * console.log(shared.status.isReached); // true
 * await shared.close();
 */
export async function shareByPostgres(parts: PostgresShareOptions): Promise<PostgresShare> {
  checkOptions("shareByPostgres", parts, knownPostgresShareOptions);
  const { settings, ring: keys, onProblem: onWarning } = parts;
  const timings = settings.leaseMs === undefined ? {} : { leaseMs: settings.leaseMs };
  // What no database could mend is refused before there is a connection.
  requireSameKeys(keys, "PostgreSQL");
  toTimings(timings);
  const problems = new Problems(parts);
  const postgres = await connectShared(settings, problems);
  const onRefused = (reason: string | undefined): void => problems.refused(reason);
  const directoryOptions = pickOptions<PostgresDirectoryOptions>(
    { ...parts, ...timings, postgres, onRefused },
    knownPostgresDirectoryOptions,
  );
  const [directory, legacy, singleUse, taskRecords] = await Promise.all([
    createPostgresDirectory(directoryOptions),
    shareSessions(postgres, { keys, onWarning }),
    createPostgresSingleUseStore(postgres, { keys }),
    createPostgresRecords(postgres, { keys, purpose: "gateway-task" }),
  ]).catch(async (error: Error) => {
    await postgres.close();
    const text = `gateway.postgres: PostgreSQL rejected a statement that replicas need: ${error.message}`;
    throw new Error(text, { cause: error });
  });
  return {
    directory,
    rates: createPostgresRateCounter(postgres, { onWarning }),
    legacy,
    singleUse,
    taskRecords,
    get status() {
      const { leases, sent, received, replicas, replicasLost, leaseAgeMs } = directory;
      const counts = { leases, sent, received, replicas, replicasLost, leaseAgeMs };
      return { isReached: postgres.isUp, problems: problems.current, isCutOff: false, ...counts };
    },
    others: () => directory.others,
    leave: (graceMs) => directory.leave(graceMs),
    async close() {
      await directory.close();
      await postgres.close({ graceMs: closeMs });
    },
  };
}

/** What is wrong with PostgreSQL now, and the reports about it. */
class Problems {
  readonly #parts: PostgresShareOptions;
  readonly #current = new Map<PostgresProblem["reason"], PostgresProblem>();

  constructor(parts: PostgresShareOptions) {
    this.#parts = parts;
  }

  get current(): readonly PostgresProblem[] {
    return [...this.#current.values()];
  }

  lost(reason: string): void {
    this.#current.set("unreachable", { reason: "unreachable", text: `PostgreSQL is unreachable: ${reason}` });
    this.#parts.onLost(reason);
  }

  /** PostgreSQL answers again, and rejects the new connection. */
  denied(reason: string): void {
    this.#begin({ reason: "unreachable", text: `PostgreSQL rejects new connections: ${reason}` });
  }

  back(): void {
    this.#current.delete("unreachable");
    this.#parts.onBack();
  }

  /** Undefined: PostgreSQL accepts the lease again. */
  refused(reason: string | undefined): void {
    if (reason === undefined) {
      if (this.#current.delete("refused")) this.#parts.onSolved?.("refused");
      return;
    }
    const text = `PostgreSQL does not renew the lease of this replica, and other replicas take over its sessions: ${reason}`;
    this.#begin({ reason: "refused", text });
  }

  #begin(problem: PostgresProblem): void {
    this.#current.set(problem.reason, problem);
    this.#parts.onTrouble?.(problem);
  }
}

async function connectShared(
  { url, prefix, maxConnections, commandTimeoutMs }: PostgresShareSettings,
  problems: Problems,
): Promise<PostgresConnection> {
  try {
    return await connectPostgres({
      url,
      ...(prefix !== undefined && { prefix }),
      ...(maxConnections !== undefined && { maxConnections }),
      ...(commandTimeoutMs !== undefined && { timeoutMs: commandTimeoutMs }),
      onLost: (reason) => problems.lost(reason),
      onBack: () => problems.back(),
      onDenied: (reason) => problems.denied(reason),
    });
  } catch (error) {
    const { message } = error as Error;
    const remedy = error instanceof UnusablePostgresError ? " (gateway.postgres.url)" : "";
    throw new Error(`gateway.postgres: ${message}${remedy}`, { cause: error });
  }
}
