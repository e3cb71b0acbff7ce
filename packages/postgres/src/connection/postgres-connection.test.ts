// The connection: migrations, rights, losses and messages.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { openCuttableProxy } from "../../../redis/src/testing/cuttable-proxy.ts";
import { checkPostgres } from "../check-postgres.ts";
import { migrations } from "../schema/migrations.ts";
import { openDeafProxy } from "../testing/deaf-proxy.ts";
import { usePostgres } from "../testing/own-postgres.ts";
import { connectPostgres } from "./postgres-connection.ts";
import { PostgresUnavailableError } from "./postgres-error.ts";
import type { Statement } from "./postgres-link.ts";
import { requireUsable } from "./require-usable.ts";
import { UnusablePostgresError } from "./unusable-postgres-error.ts";

const { connect, server, atEnd } = usePostgres();
const one: Statement = { name: "test_one", text: "SELECT 1 AS one" };

/** Runs statements as the owner of the database. */
async function administer(database: string, ...texts: string[]): Promise<pg.QueryResult[]> {
  const url = new URL(server().url);
  url.pathname = database;
  const client = new pg.Client(url.href);
  await client.connect();
  const results: pg.QueryResult[] = [];
  for (const text of texts) results.push(await client.query(text));
  await client.end();
  return results;
}

function urlOf(database: string, user: string): string {
  const url = new URL(server().url);
  url.pathname = database;
  url.username = user;
  return url.href;
}

test("a database whose transactions are serializable by default works as one with the default of PostgreSQL", async () => {
  await administer(
    "postgres",
    "CREATE DATABASE strict",
    "ALTER DATABASE strict SET default_transaction_isolation = 'serializable'",
  );
  const url = urlOf("strict", "lethe");
  // They create the schema at the same time.
  const connections = await Promise.all(Array.from({ length: 5 }, () => connect({ url })));
  const level: Statement = { name: "test_level", text: "SELECT current_setting('transaction_isolation') AS level" };
  for (const connection of connections) {
    expect(await connection.run(level, [])).toEqual([{ level: "read committed" }]);
    expect(await connection.transact((run) => run(level, []))).toEqual([{ level: "read committed" }]);
  }
});

test("replicas that start at the same time create the schema once", async () => {
  await administer("postgres", "CREATE DATABASE fresh");
  const connections = await Promise.all(Array.from({ length: 5 }, () => connect({ url: urlOf("fresh", "lethe") })));
  expect(connections.map(({ isUp }) => isUp)).toEqual(Array(5).fill(true));
  const [{ rows } = { rows: [] }] = await administer("fresh", "SELECT version FROM lethe.migrations ORDER BY version");
  expect(rows).toEqual(migrations.map((_, index) => ({ version: index + 1 })));
});

test("a schema that an older version has made is brought up to date, and keeps its rows", async () => {
  for (const [index] of migrations.slice(0, -1).entries()) {
    const database = `older_${index}`;
    await administer("postgres", `CREATE DATABASE ${database}`);
    await administer(
      database,
      "CREATE SCHEMA lethe",
      "CREATE TABLE lethe.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL)",
      ...migrations.slice(0, index + 1),
      `INSERT INTO lethe.migrations SELECT version, now() FROM generate_series(1, ${index + 1}) AS version`,
      "INSERT INTO lethe.contacts (prefix, heard_at, quiet_until) VALUES ('kept', 1, 2)",
    );
    const url = urlOf(database, "lethe");
    expect(await checkPostgres({ url })).not.toHaveProperty("problem");
    const connection = await connect({ url });
    const kept: Statement = { name: "test_kept", text: "SELECT heard_at FROM lethe.contacts WHERE prefix = 'kept'" };
    expect(await connection.run(kept, [])).toEqual([{ heard_at: 1 }]);
    const found: Statement = { name: "test_versions", text: "SELECT max(version) AS version FROM lethe.migrations" };
    expect(await connection.run(found, [])).toEqual([{ version: migrations.length }]);
    await connection.close();
  }
});

test("an account that may only read and write the tables suffices for a database that is up to date", async () => {
  await connect();
  await administer(
    "postgres",
    "CREATE ROLE writer LOGIN",
    "GRANT USAGE ON SCHEMA lethe TO writer",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA lethe TO writer",
  );
  const connection = await connect({ url: urlOf("postgres", "writer") });
  expect(await connection.run(one, [])).toEqual([{ one: 1 }]);
});

test("an account that may not create or change the schema is rejected with what to run, as the check says", async () => {
  await administer("postgres", "CREATE DATABASE bare", 'CREATE ROLE "a guest" LOGIN');
  const url = urlOf("bare", "a%20guest");
  async function expectProblem(message: string): Promise<void> {
    await expect(connectPostgres({ url })).rejects.toMatchObject({ reason: "no_permission", message });
    expect(await checkPostgres({ url })).toEqual({ isReached: true, problem: message });
  }

  await expectProblem(
    'the account may not create the schema "lethe": GRANT CREATE ON DATABASE bare TO "a guest", or CREATE SCHEMA lethe AUTHORIZATION "a guest"',
  );
  await administer("bare", "CREATE SCHEMA lethe");
  await expectProblem('the account may not create tables in the schema "lethe": ALTER SCHEMA lethe OWNER TO "a guest"');
  await administer("bare", "DROP SCHEMA lethe");
  await (await connectPostgres({ url: urlOf("bare", "lethe") })).close();
  await administer(
    "bare",
    "DELETE FROM lethe.migrations WHERE version > 1",
    'GRANT USAGE ON SCHEMA lethe TO "a guest"',
    'GRANT SELECT ON lethe.migrations TO "a guest"',
  );
  await expectProblem(
    'the schema "lethe" is of an older version, and the account may not change it: start one process with the account that owns it, and repeat the GRANT of the tables',
  );
});

test("a server that is too old is rejected with its version", async () => {
  const rows = [{ number: "120022", version: "12.22 (Debian)", is_standby: false, is_read_only: false }];
  const client = { query: async () => ({ rows }) } as unknown as pg.ClientBase;
  const message = "PostgreSQL 13 or later expected, got version 12.22 (Debian): upgrade it";
  await expect(requireUsable(client)).rejects.toMatchObject({ reason: "version", message });
});

test("an account with too few connections is rejected with the settings to raise, and counts as reached", async () => {
  await administer("postgres", "CREATE ROLE poor LOGIN CONNECTION LIMIT 0");
  const url = urlOf("postgres", "poor");
  const problem = expect.stringContaining(
    'too many connections for role "poor"; raise max_connections, or the CONNECTION LIMIT of the account or database',
  );
  await expect(connectPostgres({ url })).rejects.toMatchObject({ message: problem });
  expect(await checkPostgres({ url })).toEqual({ isReached: true, problem });
});

test("a server without TLS is rejected if the URL asks for it, with both remedies", async () => {
  const url = `${server().url}?sslmode=require`;
  const message =
    /it offers no TLS, which its URL \(or PGSSLMODE\) asks for; turn on TLS there \(ssl = on\), or remove sslmode/;
  const problem = expect.stringMatching(message);
  await expect(connectPostgres({ url })).rejects.toMatchObject({ reason: "tls", message: problem });
  expect(await checkPostgres({ url })).toEqual({ isReached: true, problem });
});

test("an account without rights is rejected with the reason and without its password", async () => {
  await administer("postgres", "CREATE DATABASE closed", "CREATE ROLE stranger LOGIN PASSWORD 'secret'");
  const url = new URL(urlOf("closed", "stranger"));
  url.password = "secret";
  const error = await connectPostgres({ url: url.href }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnusablePostgresError);
  expect(error).toMatchObject({ reason: "no_permission" });
  expect(String(error)).not.toContain("secret");
});

test("an account that lacks a right to one table is rejected with the name of the table", async () => {
  await connect();
  await administer(
    "postgres",
    "CREATE ROLE partial LOGIN",
    "GRANT USAGE ON SCHEMA lethe TO partial",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA lethe TO partial",
    "REVOKE INSERT ON lethe.replica_notes FROM partial",
  );
  const url = urlOf("postgres", "partial");
  const reason = { reason: "no_permission", message: expect.stringContaining("lethe.replica_notes") };
  await expect(connectPostgres({ url })).rejects.toMatchObject(reason);
  expect(await checkPostgres({ url })).toEqual({ isReached: true, problem: reason.message });
});

test("a schema without one of its tables is rejected with the name of the table", async () => {
  await administer("postgres", "CREATE DATABASE torn");
  const url = urlOf("torn", "lethe");
  await (await connectPostgres({ url })).close();
  await administer("torn", "DROP TABLE lethe.records");
  await expect(connectPostgres({ url })).rejects.toThrow("lethe.records");
  expect(await checkPostgres({ url })).toEqual({ isReached: true, problem: expect.stringContaining("lethe.records") });
});

test("a database whose transactions are read-only is rejected", async () => {
  await connect();
  await administer(
    "postgres",
    "CREATE ROLE frozen LOGIN SUPERUSER",
    "ALTER ROLE frozen SET default_transaction_read_only = on",
  );
  const url = urlOf("postgres", "frozen");
  await expect(connectPostgres({ url })).rejects.toMatchObject({ reason: "read_only" });
  expect(await checkPostgres({ url })).toEqual({ isReached: true, problem: expect.stringContaining("read-only") });
});

test("an address at which no messages arrive is rejected, as with a pooler that gives each transaction another connection", async () => {
  await connect();
  const pooler = await openDeafProxy(server().port);
  atEnd(pooler.close);
  const url = new URL(server().url);
  url.port = String(pooler.port);
  const options = { url: url.href, timeoutMs: 500 };
  await expect(connectPostgres(options)).rejects.toMatchObject({ reason: "no_messages" });
  expect(await checkPostgres({ url: url.href, commandTimeoutMs: 500 })).toEqual({
    isReached: true,
    problem: expect.stringContaining("transaction mode"),
  });
});

test("a database that does not exist is rejected with the advice to create it", async () => {
  const url = urlOf("absent", "lethe");
  const message = expect.stringMatching(/database "absent" does not exist; create it, or correct its name/);
  await expect(connectPostgres({ url })).rejects.toMatchObject({ reason: "no_database", message });
  expect(await checkPostgres({ url })).toEqual({ isReached: true, problem: message });
});

test("a pooler that does not know a parameter of the connection is rejected with its setting", async () => {
  const pooler = createServer((socket) => {
    // What PgBouncer sends without `ignore_startup_parameters`.
    const fields = "SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0";
    const message = Buffer.alloc(5 + fields.length);
    message.write("E");
    message.writeUInt32BE(4 + fields.length, 1);
    message.write(fields, 5);
    socket.on("error", () => {});
    socket.once("data", () => socket.end(message));
  });
  pooler.listen(0, "127.0.0.1");
  await once(pooler, "listening");
  atEnd(() => pooler.close());
  const { port } = pooler.address() as AddressInfo;
  const attempt = connectPostgres({ url: `postgres://lethe@127.0.0.1:${port}/lethe` });
  const setting = "ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout";
  await expect(attempt).rejects.toThrow(setting);
});

test("rejects an unreachable address with advice", async () => {
  const attempt = connectPostgres({ url: "postgres://lethe:secret@127.0.0.1:1/lethe" });
  await expect(attempt).rejects.toThrow(
    /^PostgreSQL at postgres:\/\/127\.0\.0\.1:1\/lethe cannot be used: .*; check that it runs and that its URL is correct$/,
  );
});

test("notices that the server has ended the connection of its channels, and subscribes again", async () => {
  const onLost = vi.fn();
  const connection = await connect({ onLost });
  const received: string[] = [];
  await connection.subscribe("changes", (text) => received.push(text));
  const back = new Promise<void>((resolve) => connection.onResubscribed(resolve));
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND application_name = 'lethe'`;
  await administer("postgres", terminate);
  await back;
  expect(onLost).toHaveBeenCalledOnce();
  await connection.publish("changes", "after");
  await vi.waitFor(() => expect(received).toEqual(["after"]));
});

test("a database that ends idle sessions does not end the one on which messages arrive", async () => {
  await connect();
  await administer(
    "postgres",
    "CREATE ROLE patient LOGIN SUPERUSER",
    "ALTER ROLE patient SET idle_session_timeout = '200ms'",
  );
  const onLost = vi.fn();
  const connection = await connect({ url: urlOf("postgres", "patient"), onLost });
  await connection.run({ name: "test_pause", text: "SELECT pg_sleep(1)" }, []);
  expect(onLost).not.toHaveBeenCalled();
});

test("notices a connection that has become silent, and fails fast until it is back", async () => {
  const line = await openCuttableProxy(server().url);
  atEnd(line.close);
  const url = new URL(server().url);
  url.port = new URL(line.url).port;
  const onLost = vi.fn();
  const lost = new Promise<void>((resolve) => onLost.mockImplementation(() => resolve()));
  const connection = await connect({ url: url.href, timeoutMs: 1_000, onLost });
  await connection.run(one, []);
  line.swallow();
  await lost;
  expect(connection.isUp).toBe(false);
  await expect(connection.run(one, [])).rejects.toThrow(PostgresUnavailableError);
  const back = new Promise<void>((resolve) => connection.onResubscribed(resolve));
  line.mend();
  await back;
  expect(await connection.run(one, [])).toEqual([{ one: 1 }]);
});

test("delivers messages of any size in the order in which they were published", async () => {
  const [from, to] = [await connect(), await connect()];
  const received: string[] = [];
  const done = new Promise<void>((resolve) => {
    void to.subscribe("changes", (text) => (text === "end" ? resolve() : received.push(text)));
  });
  await to.run(one, []);
  const sent = Array.from({ length: 40 }, (_, index) => `${index} ${"x".repeat(index % 4 === 0 ? 50_000 : 10)}`);
  for (const text of [...sent, "end"]) void from.publish("changes", text);
  await done;
  expect(received).toEqual(sent);
});

test("a transaction whose work rejects changes nothing", async () => {
  const connection = await connect();
  const insert = {
    name: "test_insert",
    text: "INSERT INTO lethe.contacts (prefix, heard_at, quiet_until) VALUES ($1, 0, 0)",
  };
  const attempt = connection.transact(async (run) => {
    await run(insert, [connection.prefix]);
    throw new Error("stop");
  });
  await expect(attempt).rejects.toThrow("stop");
  const find = { name: "test_find", text: "SELECT FROM lethe.contacts WHERE prefix = $1" };
  expect(await connection.run(find, [connection.prefix])).toEqual([]);
});
