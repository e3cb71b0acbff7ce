import type { Bus, Change } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import type { PostgresConnection } from "../connection/postgres-connection.ts";
import { keys, usePostgres } from "../testing/own-postgres.ts";
import { createPostgresBus, type PostgresBusOptions } from "./postgres-bus.ts";

const { connect, server } = usePostgres();

interface OpenBus {
  bus: Bus;
  connection: PostgresConnection;
  heard: Change[];
  onWarning: ReturnType<typeof vi.fn>;
}

async function open(options: PostgresBusOptions = {}): Promise<OpenBus> {
  const connection = await connect();
  const onWarning = vi.fn();
  const bus = await createPostgresBus(connection, { keys, onWarning, ...options });
  const heard: Change[] = [];
  bus.subscribe((change) => heard.push(change));
  return { bus, connection, heard, onWarning };
}

test("delivers each change to every process once and in order, to its own before publish returns", async () => {
  const [one, two, three] = [await open(), await open(), await open()];
  // The last ones need several notifications of PostgreSQL each.
  const changes: Change[] = Array.from({ length: 60 }, (_, n) => ({ kind: "resource", uri: `u:${n}`.padEnd(n * 400) }));
  for (const change of changes) one.bus.publish(change);
  expect(one.heard).toEqual(changes);
  two.bus.publish({ kind: "tools" });
  await vi.waitFor(() => expect(three.heard).toHaveLength(61), 10_000);
  expect(three.heard.filter(({ kind }) => kind === "resource")).toEqual(changes);
  await vi.waitFor(() => expect([one.heard.length, two.heard.length]).toEqual([61, 61]), 10_000);
});

test("without the keys, changes can be neither published nor read", async () => {
  const [one, two] = [await open(), await open()];
  const spied: string[] = [];
  await one.connection.subscribe("changes", (text) => spied.push(text));
  await one.connection.publish("changes", `x ${JSON.stringify({ change: { kind: "tools" } })}`);
  one.bus.publish({ kind: "task", task: { taskId: "t", status: "completed", result: { secret: "cable" } } });
  await vi.waitFor(() => expect(two.heard).toEqual(one.heard));
  await vi.waitFor(() => expect(spied).toHaveLength(2));
  expect(spied[1]).not.toContain("cable");
});

test("delivers a change that is too large or above the limit locally only, with one warning", async () => {
  const [one, two] = [await open({ maxBytes: 100, maxSending: 1 }), await open()];
  one.bus.publish({ kind: "resource", uri: "x".repeat(100) });
  await vi.waitFor(() => expect(one.onWarning).toHaveBeenCalledOnce());
  for (const uri of ["a:", "b:", "c:"]) one.bus.publish({ kind: "resource", uri });
  await vi.waitFor(() => expect(two.heard).toHaveLength(1));
  expect(one.heard).toHaveLength(4);
  expect(one.onWarning).toHaveBeenCalledOnce();
});

test("notifies local listeners while PostgreSQL is away, and all listeners of possible changes afterwards", async () => {
  const [one, two] = [await open(), await open()];
  await server().crash();
  one.bus.publish({ kind: "prompts" });
  expect(one.heard).toEqual([{ kind: "prompts" }]);
  await server().start();
  const every = [{ kind: "tools" }, { kind: "prompts" }, { kind: "resources" }];
  await vi.waitFor(() => expect(two.heard).toEqual(every), 10_000);
  await vi.waitFor(() => expect(one.heard).toEqual([{ kind: "prompts" }, ...every]), 10_000);
  two.bus.publish({ kind: "resource", uri: "a:" });
  await vi.waitFor(() => expect(one.heard.at(-1)).toEqual({ kind: "resource", uri: "a:" }), 10_000);
});
