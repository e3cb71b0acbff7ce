import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { type Call, connectTo, migrated, newFolder, observe, originalOf } from "./testing/migrated-servers.ts";

it("the migrated sequential-thinking server lists and answers the same as the original", async () => {
  const original = originalOf("server-sequential-thinking");
  const { path, findings } = await migrated(original);
  expect(findings).toEqual([]);
  const thought = { thought: "first", nextThoughtNeeded: "true", thoughtNumber: 1, totalThoughts: "3" };
  const calls: Call[] = [
    { name: "sequentialthinking", arguments: thought },
    { name: "sequentialthinking", arguments: { ...thought, thoughtNumber: 2, branchFromThought: 1, branchId: "b" } },
  ];
  const [before, after] = [await connectTo(original), await connectTo(path)];
  expect(await observe(after, calls)).toEqual(await observe(before, calls));
  const invalid = { name: "sequentialthinking", arguments: { ...thought, nextThoughtNeeded: "perhaps" } };
  expect(await before.callTool(invalid)).toMatchObject({ isError: true });
  expect(await after.callTool(invalid)).toMatchObject({ isError: true });
});

it("the migrated memory server lists and answers the same as the original, and notifies subscribers", async () => {
  const original = originalOf("server-memory");
  const { path, findings } = await migrated(original);
  expect(findings).toEqual([]);
  const folder = await newFolder();
  const [before, after] = [
    await connectTo(original, [], { MEMORY_FILE_PATH: join(folder, "before.jsonl") }),
    await connectTo(path, [], { MEMORY_FILE_PATH: join(folder, "after.jsonl") }),
  ];
  const ann = { name: "Ann", entityType: "person", observations: ["likes tea"] };
  const calls: Call[] = [
    { name: "create_entities", arguments: { entities: [ann, { ...ann, name: "Bob" }] } },
    { name: "create_relations", arguments: { relations: [{ from: "Ann", to: "Bob", relationType: "knows" }] } },
    { name: "add_observations", arguments: { observations: [{ entityName: "Nemo", contents: ["x"] }] } },
    { name: "search_nodes", arguments: { query: "tea" } },
    { name: "open_nodes", arguments: { names: ["Ann"] } },
    { name: "delete_entities", arguments: { entityNames: ["Bob"] } },
    { name: "read_graph", arguments: {} },
  ];
  expect(await observe(after, calls)).toEqual(await observe(before, calls));
  const uri = "memory://knowledge-graph";
  expect(await after.readResource({ uri })).toEqual(await before.readResource({ uri }));
  const updated = new Promise((resolve) => after.setNotificationHandler(ResourceUpdatedNotificationSchema, resolve));
  await after.subscribeResource({ uri });
  await after.callTool({ name: "create_entities", arguments: { entities: [{ ...ann, name: "Cleo" }] } });
  expect(await updated).toMatchObject({ params: { uri } });
});

it("the migrated filesystem server lists and answers the same as the original, its error messages included", async () => {
  const original = originalOf("server-filesystem");
  const { path, findings } = await migrated(original);
  expect(findings).toEqual([
    "read roots in a handler with ctx.roots()",
    "a stateless server has no oninitialized: read what a call needs in its handler",
  ]);
  const folder = await newFolder();
  await mkdir(join(folder, "notes"));
  await writeFile(join(folder, "notes", "a.txt"), "one\ntwo\nthree\n");
  const file = join(folder, "notes", "a.txt");
  const calls: Call[] = [
    { name: "list_allowed_directories", arguments: {} },
    { name: "read_text_file", arguments: { path: file, head: 2 } },
    { name: "read_text_file", arguments: { path: file, head: 1, tail: 1 } },
    { name: "read_text_file", arguments: { path: "/etc/hostname" } },
    { name: "read_media_file", arguments: { path: file } },
    { name: "directory_tree", arguments: { path: folder } },
    { name: "edit_file", arguments: { path: file, edits: [{ oldText: "two", newText: "2" }], dryRun: true } },
    { name: "search_files", arguments: { path: folder, pattern: "**/*.txt" } },
  ];
  const [before, after] = [await connectTo(original, [folder]), await connectTo(path, [folder])];
  expect(await observe(after, calls)).toEqual(await observe(before, calls));
});
