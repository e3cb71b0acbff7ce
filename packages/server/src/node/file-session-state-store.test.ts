// Session state in a file passes the contract, and processes share it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { describeSessionStateStore } from "../contracts/session-state-store.ts";
import { openFileSessionStateStore } from "./open-file-session-state-store.ts";

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-sessions-"));
  folders.push(folder);
  return join(folder, "sessions.mdb");
}

describe("openFileSessionStateStore", () =>
  describeSessionStateStore({ it }, async () => openFileSessionStateStore(await newFile())));

it("a session in a file is there when the file is opened again", async () => {
  const path = await newFile();
  const store = await openFileSessionStateStore(path);
  await store.write("a", "1", { expected: 0, ttlMs: 60_000 });
  expect((await (await openFileSessionStateStore(path)).read("a"))?.text).toBe("1");
});
