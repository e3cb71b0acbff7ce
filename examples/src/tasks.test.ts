// The task examples, together: a server whose work outlives its request, and its process.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import type { Task } from "@lethe/protocol";
import { openFileTaskStore } from "@lethe/server/node";
import type { TaskStore } from "@lethe/server/stores";
import { expect, it } from "vitest";
import { beginImport, finishImport, importAll } from "./tasks-client.ts";
import { createImporter } from "./tasks-server.ts";

const elicit = () => ({ action: "accept" as const, content: { overwrite: true } });
const tables = ["users", "orders"];
const imported = JSON.stringify({ imported: tables });

/** Creates a server on which one of the tables exists, and the list of written tables. */
function start(written: string[] = [], store?: TaskStore) {
  const write = async (table: string) => void written.push(table);
  const exists = (table: string) => table === "orders" && !written.includes(table);
  return createImporter({ tableMs: 100, exists, write, ...(store && { store }) });
}

it("a client receives the task's input requests and status messages", async () => {
  const written: string[] = [];
  const server = start(written);
  const client = await connect(server, { elicit, tasks: { maxPollMs: 50 } });
  const told: Task[] = [];
  expect(await importAll(client, tables, (task) => told.push(task))).toBe(imported);
  expect(written).toEqual(tables);
  expect(told.map(({ statusMessage }) => statusMessage)).toContain("importing users");
  expect(told.map(({ status }) => status)).toContain("input_required");
  await client.close();
  await server.close();
});

it("a client without tasks waits for the result of the call", async () => {
  const server = start();
  const client = await connect(server, { elicit, tasks: false });
  expect(await importAll(client, tables, () => {})).toBe(imported);
  await client.close();
  await server.close();
});

it("the next server on the same file finishes a task, and the next client finds it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lethe-tasks-"));
  const store = await openFileTaskStore(join(folder, "tasks.lmdb"));
  const written: string[] = [];
  const first = start(written, store);
  const before = await connect(first, { elicit });
  const kept = JSON.stringify(await beginImport(before, tables));
  await before.close();
  await first.close();
  const second = start(written, store);
  const after = await connect(second, { elicit, tasks: { maxPollMs: 50 } });
  expect(await finishImport(after, JSON.parse(kept))).toBe(imported);
  expect(written).toEqual(tables);
  await after.close();
  await second.close();
  await store.close();
  await rm(folder, { recursive: true });
});
