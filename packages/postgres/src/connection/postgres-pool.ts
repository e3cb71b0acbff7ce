// Runs statements on a bounded pool of connections, alone and in transactions.
import pg from "pg";
import { DestroyableClient } from "./destroyable-client.ts";
import { leavesConnectionUsable, NotRunError, PostgresUnavailableError, toPostgresError } from "./postgres-error.ts";
import type { Run, Statement, Value } from "./postgres-link.ts";

export interface PoolOptions {
  readonly config: pg.ClientConfig;
  /** Connections at a time. */
  readonly size: number;
  /** How long a statement waits for a connection, in ms. */
  readonly timeoutMs: number;
  /** Whether the database was reached last. While it was not, statements fail at once unless a connection is idle. */
  isUp(): boolean;
}

/** Statements that wait for a connection. Further ones are rejected. */
const maxWaiting = 1_000;
/**
 * The level that all statements are written for: they wait for concurrent changes and see them. A database or an account may have a higher
 * one by default, at which PostgreSQL rejects them instead. PgBouncer would refuse this as a parameter of the connection.
 */
const readCommitted = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED";
/** How often a transaction runs again after a deadlock or a conflict. */
const maxAttempts = 5;
/** Serialization failure and deadlock, as SQLSTATE. */
const conflicts = new Set(["40001", "40P01"]);

export class PostgresPool {
  readonly #pool: pg.Pool;
  /** Also those that are being opened. */
  readonly #clients = new Set<DestroyableClient>();
  readonly #options: PoolOptions;
  #closing: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { config, size, timeoutMs } = options;
    const clients = this.#clients;
    class Client extends DestroyableClient {
      constructor(settings?: pg.ClientConfig) {
        super(settings);
        clients.add(this);
        this.once("end", () => clients.delete(this));
      }
    }
    this.#pool = new pg.Pool({
      ...config,
      ...{ Client, max: size, connectionTimeoutMillis: timeoutMs, allowExitOnIdle: true },
      onConnect: async (client) => void (await client.query(readCommitted)),
    });
    // An idle connection that fails is replaced when one is needed.
    this.#pool.on("error", () => {});
    // The statement that runs rejects. Without a listener, the error of its connection would end the process.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  readonly run: Run = (statement, values) => this.#use((run) => run(statement, values));

  async transact<T>(work: (run: Run) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#use((run) => inTransaction(run, work));
      } catch (error) {
        if (attempt >= maxAttempts || !conflicts.has(String((error as { code?: unknown }).code))) throw error;
      }
    }
  }

  /** Waits for running statements, for at most `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#closing ??= this.#pool.end();
    const timer = setTimeout(() => this.#cut(), graceMs);
    await this.#closing;
    clearTimeout(timer);
  }

  #cut(): void {
    for (const client of this.#clients) client.destroy();
  }

  async #use<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let isUsable = true;
    const run = async <R extends object>(
      { name, text }: Statement,
      values: readonly Value[],
    ): Promise<readonly R[]> => {
      try {
        return (await client.query<R>({ name, text, values: [...values] })).rows;
      } catch (error) {
        isUsable &&= leavesConnectionUsable(error);
        throw toPostgresError(error);
      }
    };
    try {
      return await work(run);
    } finally {
      if (!isUsable) client.destroy();
      client.release(!isUsable);
    }
  }

  async #connect(): Promise<pg.PoolClient & DestroyableClient> {
    const { idleCount, waitingCount } = this.#pool;
    if (idleCount === 0 && !this.#options.isUp()) throw new NotRunError("there is no connection");
    if (waitingCount >= maxWaiting) throw new NotRunError(`${maxWaiting} statements wait for a connection`);
    try {
      return (await this.#pool.connect()) as pg.PoolClient & DestroyableClient;
    } catch (error) {
      const known = toPostgresError(error);
      if (!(known instanceof PostgresUnavailableError)) throw known;
      throw new NotRunError(known.message, { cause: error, code: known.code });
    }
  }
}

const begin: Statement = { name: "lethe_begin", text: "BEGIN" };
const commit: Statement = { name: "lethe_commit", text: "COMMIT" };
const rollback: Statement = { name: "lethe_rollback", text: "ROLLBACK" };

async function inTransaction<T>(run: Run, work: (run: Run) => Promise<T>): Promise<T> {
  await run(begin, []);
  let result: T;
  try {
    result = await work(run);
  } catch (error) {
    await run(rollback, []).catch(() => {});
    throw error;
  }
  await run(commit, []);
  return result;
}
