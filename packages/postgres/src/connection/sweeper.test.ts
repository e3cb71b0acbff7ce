// The deletion of expired rows in large tables.
import pg from "pg";
import { expect, test } from "vitest";
import { usePostgres } from "../testing/own-postgres.ts";
import type { Statement } from "./postgres-link.ts";
import { deleteExpired } from "./sweeper.ts";

const { connect, server, atEnd } = usePostgres();

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly Plan[];
}

/** The tables that a plan reads as a whole. */
function scannedBy({ Plans = [], ...plan }: Plan): string[] {
  const own = plan["Node Type"] === "Seq Scan" ? [plan["Relation Name"] ?? ""] : [];
  return [...own, ...Plans.flatMap(scannedBy)];
}

/** The statements of one deletion, without running them. */
async function statementsOfSweep(): Promise<Statement[]> {
  const statements: Statement[] = [];
  await deleteExpired(async (statement) => {
    statements.push(statement);
    return [];
  });
  return statements;
}

test("looks for expired rows by their time, and reads no large table as a whole", async () => {
  await connect();
  const client = new pg.Client(server().url);
  await client.connect();
  atEnd(() => client.end());
  // The times have nothing to do with the order of the rows on disk, as with lifetimes of different lengths.
  const laterAt = "lethe.now_ms() + 3600000 + (i * 7919) % 20000 * 1000";
  for (const [table, columns, values] of [
    ["session_states", "key, version, state, expires_at", `i, 1, repeat('x', 500), ${laterAt}`],
    ["records", "key, version, value, expires_at", `i, 1, repeat('x', 500), ${laterAt}`],
    ["rounds", "id, caller, expires_at, inputs", `i, i, ${laterAt}, repeat('x', 500)`],
    ["event_streams", "stream, writer, is_ended, expires_at", `i, repeat('x', 500), false, ${laterAt}`],
    ["rates", "name, caller, expires_at", `repeat('x', 500), i, ${laterAt}`],
  ] as const) {
    const rows = `SELECT 'many:', ${values} FROM generate_series(1, 20000) AS i`;
    await client.query(`INSERT INTO lethe.${table} (prefix, ${columns}) ${rows}`);
    await client.query(`ANALYZE lethe.${table}`);
  }
  const scanned: string[] = [];
  for (const { text } of await statementsOfSweep()) {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text.replaceAll("$1", "500")}`);
    scanned.push(...scannedBy(rows[0]["QUERY PLAN"][0].Plan));
  }
  const large = ["session_states", "records", "rounds", "event_streams", "rates"];
  expect(scanned.filter((table) => large.includes(table))).toEqual([]);
});
