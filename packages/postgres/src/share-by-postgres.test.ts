// What the replicas of a gateway share in PostgreSQL, and what their operators learn about it.
import { createKeyRing } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { openCuttableProxy } from "../../redis/src/testing/cuttable-proxy.ts";
import { checkPostgres } from "./check-postgres.ts";
import { type PostgresShareOptions, shareByPostgres } from "./share-by-postgres.ts";
import { usePostgres } from "./testing/own-postgres.ts";
import { ring } from "./testing/replicas.ts";

const { server, atEnd } = usePostgres();

async function share(prefix: string, options: Partial<PostgresShareOptions> = {}) {
  const reports: string[] = [];
  const shared = await shareByPostgres({
    settings: { url: server().url, prefix, leaseMs: 1_000, commandTimeoutMs: 2_000 },
    ...{ ring, dispatchAt: () => undefined, onProblem: (problem) => reports.push(problem) },
    onLost: (reason) => reports.push(`lost: ${reason}`),
    onBack: () => reports.push("back"),
    onTrouble: ({ reason }) => reports.push(`trouble: ${reason}`),
    onSolved: (reason) => reports.push(`solved: ${reason}`),
    ...options,
  });
  atEnd(() => shared.close());
  return { shared, reports };
}

test("replicas share owners, rates, records and used tokens, and those with another prefix do not", async () => {
  const [{ shared: one }, { shared: two }, { shared: other }] = [
    await share("a:"),
    await share("a:"),
    await share("b:"),
  ];
  await vi.waitFor(
    () => expect([one.others(), two.others()]).toEqual([[two.directory.self], [one.directory.self]]),
    10_000,
  );
  expect(other.others()).toEqual([]);
  expect((await one.directory.acquire("session")).owner).toBe(one.directory.self);
  expect((await two.directory.acquire("session")).owner).toBe(one.directory.self);
  expect((await other.directory.acquire("session")).owner).toBe(other.directory.self);
  await one.taskRecords.write("task", { n: 1 }, { version: 0, ttlMs: 60_000 });
  expect(await two.taskRecords.read("task")).toEqual({ value: { n: 1 }, version: 1 });
  const rate = { max: 2, windowMs: 60_000 };
  for (const { rates } of [one, two]) expect(await rates.take("ann", rate)).toBe(0);
  expect(await one.rates.take("ann", rate)).toBeGreaterThan(0);
  expect(one.status).toMatchObject({ isReached: true, isCutOff: false, problems: [], leases: 1, replicas: 1 });
});

test("reports once that PostgreSQL is unreachable, and once that it is back", async () => {
  const { shared, reports } = await share("c:");
  await server().crash();
  await vi.waitFor(() => expect(reports).toEqual([expect.stringContaining("lost: ")]), 10_000);
  expect(shared.status).toMatchObject({ isReached: false, problems: [{ reason: "unreachable" }] });
  await server().start();
  await vi.waitFor(() => expect(reports.at(-1)).toBe("back"), 10_000);
  expect(reports).toHaveLength(2);
  expect(shared.status).toMatchObject({ isReached: true, problems: [] });
});

test("reports that the database rejects the lease of the replica, until it accepts one", async () => {
  const { shared, reports } = await share("d:");
  const { default: pg } = await import("pg");
  const client = new pg.Client(server().url);
  await client.connect();
  atEnd(() => client.end());
  const prepared = "ALTER TABLE lethe.replica_leases";
  await client.query(`${prepared} ADD CONSTRAINT test_refusal CHECK (prefix <> 'd:') NOT VALID`);
  await vi.waitFor(() => expect(reports).toEqual(["trouble: refused"]), 10_000);
  expect(shared.status.problems).toEqual([{ reason: "refused", text: expect.stringContaining("test_refusal") }]);
  await client.query(`${prepared} DROP CONSTRAINT test_refusal`);
  await vi.waitFor(() => expect(reports.at(-1)).toBe("solved: refused"), 10_000);
  expect(shared.status.problems).toEqual([]);
});

test("reports that a read-only database does not renew the lease of the replica, until it does", async () => {
  const { default: pg } = await import("pg");
  const client = new pg.Client(server().url);
  await client.connect();
  atEnd(() => client.end());
  await client.query("CREATE ROLE reader LOGIN SUPERUSER");
  const url = new URL(server().url);
  url.username = "reader";
  const { shared, reports } = await share("f:", {
    settings: { url: url.href, prefix: "f:", leaseMs: 1_000, commandTimeoutMs: 2_000 },
  });
  const reconnect = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'";
  await client.query("ALTER ROLE reader SET default_transaction_read_only = on");
  await client.query(reconnect);
  await vi.waitFor(() => expect(reports.at(-1)).toBe("trouble: refused"), 20_000);
  expect(shared.status).toMatchObject({ isReached: true, problems: [{ text: expect.stringContaining("read-only") }] });
  await client.query("ALTER ROLE reader RESET default_transaction_read_only");
  await client.query(reconnect);
  await vi.waitFor(() => expect(reports.at(-1)).toBe("solved: refused"), 20_000);
  expect(reports.filter((report) => report.startsWith("trouble"))).toHaveLength(1);
});

test("reports once that the database rejects new connections after the loss of one, with its reason", async () => {
  const { default: pg } = await import("pg");
  const client = new pg.Client(server().url);
  await client.connect();
  atEnd(() => client.end());
  await client.query("CREATE ROLE leaver LOGIN SUPERUSER");
  const url = new URL(server().url);
  url.username = "leaver";
  const settings = { url: url.href, prefix: "g:", leaseMs: 1_000, commandTimeoutMs: 2_000 };
  const { shared, reports } = await share("g:", { settings });
  await client.query("ALTER ROLE leaver NOLOGIN");
  await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'leaver'");
  await vi.waitFor(() => expect(reports).toContain("trouble: unreachable"), 20_000);
  const text = expect.stringContaining('role "leaver" is not permitted to log in');
  expect(shared.status).toMatchObject({ isReached: false, problems: [{ reason: "unreachable", text }] });
  await client.query("ALTER ROLE leaver LOGIN");
  await vi.waitFor(() => expect(reports.at(-1)).toBe("back"), 20_000);
  expect(reports).toEqual([expect.stringContaining("lost: "), "trouble: unreachable", "back"]);
  expect(shared.status.problems).toEqual([]);
});

test("rejects an unreachable database with the setting and without the password", async () => {
  const url = "postgres://lethe:secret-word@127.0.0.1:1/lethe";
  const attempt = share("e:", { settings: { url } });
  await expect(attempt).rejects.toThrow(
    /^gateway\.postgres: PostgreSQL at postgres:\/\/127\.0\.0\.1:1\/lethe cannot be used/,
  );
});

test("checkPostgres names the version, and what would prevent a start, without creating the schema", async () => {
  expect(await checkPostgres({ url: server().url })).toMatchObject({
    isReached: true,
    version: expect.stringMatching(/^\d+/),
    connectionLimit: expect.any(Number),
  });
  const { default: pg } = await import("pg");
  const client = new pg.Client(server().url);
  await client.connect();
  atEnd(() => client.end());
  await client.query("CREATE DATABASE empty");
  await client.query("CREATE ROLE guest LOGIN");
  const url = new URL(server().url);
  url.pathname = "/empty";
  expect((await checkPostgres({ url: url.href })).problem).toBeUndefined();
  url.username = "guest";
  expect(await checkPostgres({ url: url.href })).toEqual({
    isReached: true,
    problem: expect.stringContaining('may not create the schema "lethe"'),
  });
  const gone = await checkPostgres({ url: "postgres://lethe:secret@127.0.0.1:1/lethe" });
  expect(gone).toEqual({ isReached: false, problem: expect.not.stringContaining("secret") });
});

test("checkPostgres names the smallest limit of connections that applies to the account", async () => {
  const { default: pg } = await import("pg");
  const client = new pg.Client(server().url);
  await client.connect();
  atEnd(() => client.end());
  await client.query("CREATE ROLE limited LOGIN CONNECTION LIMIT 7");
  await client.query("CREATE DATABASE narrow OWNER limited CONNECTION LIMIT 9");
  const url = new URL(server().url);
  url.pathname = "/narrow";
  expect(await checkPostgres({ url: url.href })).toMatchObject({ connectionLimit: 9 });
  url.username = "limited";
  expect(await checkPostgres({ url: url.href })).toMatchObject({ connectionLimit: 7 });
});

test("a replica that stops while PostgreSQL does not answer does not wait for its statements to time out", async () => {
  const proxy = await openCuttableProxy(server().url);
  atEnd(() => proxy.close());
  const url = new URL(server().url);
  url.port = new URL(proxy.url).port;
  // Were the timeouts of statements awaited, the end would take longer than the test may.
  const settings = { url: url.href, prefix: "silent:", leaseMs: 60_000, commandTimeoutMs: 60_000 };
  const { shared } = await share("silent:", { settings });
  await shared.directory.acquire("session");
  proxy.swallow();
  shared.directory.release("session");
  await shared.leave(200);
  await shared.close();
});

test("an option that no PostgreSQL can share by is refused before a connection is opened", async () => {
  const nowhere = { url: "postgres://lethe@127.0.0.1:1/lethe" };
  await expect(share("", { settings: nowhere, ring: createKeyRing() })).rejects.toThrow(
    "replicas that share PostgreSQL need the same keys (LETHE_KEYS)",
  );
  await expect(share("", { settings: { ...nowhere, leaseMs: 10 } })).rejects.toThrow(
    "leaseMs must be a whole number of at least 50",
  );
});
