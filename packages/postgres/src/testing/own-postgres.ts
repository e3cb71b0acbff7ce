// Starts one real PostgreSQL per test file and gives each test its own prefix.
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { connectPostgres, type PostgresConnection, type PostgresOptions } from "../connection/postgres-connection.ts";
import { type RunningPostgres, startPostgres } from "./postgres-server.ts";

export const keys: string = `k:${"A".repeat(43)}`;

export interface OwnPostgres {
  /** Connects for the length of the test. */
  connect(options?: Partial<PostgresOptions>): Promise<PostgresConnection>;
  /** The server of all tests of the file. A test that stops it starts it again. */
  server(): RunningPostgres;
  /** Calls `end` after the test, in reverse order of registration. */
  atEnd(end: () => unknown): void;
}

export function usePostgres(): OwnPostgres {
  const ends: (() => unknown)[] = [];
  let server: RunningPostgres;
  let count = 0;

  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server.stop());
  beforeEach(() => {
    count += 1;
  });
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  return {
    atEnd: (end) => void ends.push(end),
    server: () => server,
    async connect(options) {
      const connection = await connectPostgres({ url: server.url, prefix: `${count}:`, ...options });
      ends.push(() => connection.close());
      return connection;
    },
  };
}
