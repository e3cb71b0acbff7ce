import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileAuthStore } from "./file-auth-store.ts";

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "lethe-auth-")), "made", "here");
});
afterEach(async () => {
  await rm(join(folder, "../.."), { recursive: true, force: true });
});

test("an entry that one process saves can be loaded by another until it is deleted", async () => {
  const [one, other] = [createFileAuthStore(folder), createFileAuthStore(folder)];
  expect(await one.load("k")).toBeUndefined();
  await one.save("k", { accessToken: "t" });
  await one.save("k", { accessToken: "u" });
  expect(await other.load("k")).toEqual({ accessToken: "u" });
  await other.delete("k");
  await other.delete("k");
  expect(await one.load("k")).toBeUndefined();
});

test.skipIf(process.platform === "win32")("only the user can read the files, and no key is a path (G-46)", async () => {
  await createFileAuthStore(folder).save("../../etc/passwd", { a: 1 });
  const names = await readdir(folder);
  expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)]);
  expect((await stat(folder)).mode & 0o077).toBe(0);
  expect((await stat(join(folder, names[0] as string))).mode & 0o077).toBe(0);
});

test("a damaged file counts as absent", async () => {
  const store = createFileAuthStore(folder);
  await store.save("k", { a: 1 });
  const [name] = await readdir(folder);
  await writeFile(join(folder, name as string), '{"a":');
  expect(await store.load("k")).toBeUndefined();
  await writeFile(join(folder, name as string), "[]");
  expect(await store.load("k")).toBeUndefined();
});

test("tasks of several processes under one key run one after the other", async () => {
  const order: string[] = [];
  const run = (name: string) =>
    createFileAuthStore(folder).exclusively?.("k", async () => {
      order.push(`${name} begins`);
      await stat(folder);
      order.push(`${name} ends`);
      if (name === "a") throw new Error("a failed");
    });
  const results = await Promise.allSettled([run("a"), run("b"), run("c")]);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
  for (let at = 0; at < 6; at += 2) expect(order[at]?.split(" ")[0]).toBe(order[at + 1]?.split(" ")[0]);
  expect(await readdir(folder)).toEqual([]);
});

test("a lock that a dead process left expires", async () => {
  const store = createFileAuthStore(folder);
  await store.save("k", {});
  const [name] = await readdir(folder);
  const lock = join(folder, `${name}.lock`);
  await writeFile(lock, "");
  await utimes(lock, 0, 0);
  expect(await store.exclusively?.("k", async () => "done")).toBe("done");
});
