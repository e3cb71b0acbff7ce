// Tests of `lethe record` and `lethe replay`: a fixture is recorded through a client and served as the recorded server was.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "@lethe/client/node";
import { accept, testClient } from "@lethe/server/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main, runLethe } from "../processes/lethe.ts";

const program = fileURLToPath(new URL("../test-clients/greeter.mjs", import.meta.url));
let folder: string;
let file: string;

const lethe = (...args: string[]) => ({ command: process.execPath, args: [main, ...args] });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-fixtures-"));
  file = join(folder, "greeter.json");
  const client = await testClient(lethe("record", "-o", file, "--", process.execPath, program), {
    answers: [accept({ name: "Ann" })],
  });
  await client.callTool("greet");
  await client.close();
});
afterAll(() => rm(folder, { recursive: true }));

test("a recorded elicitation is replayed over stdio, to clients of both eras", async () => {
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ kind: "lethe-fixture", version: 1 });
  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    const client = await testClient(lethe("replay", file), { revision, answers: [accept({ name: "Ann" })] });
    expect((await client.callTool("greet")).content).toMatchObject([{ text: "Hello Ann!" }]);
    await expect(client.callTool("pid")).rejects.toThrow("no recorded tools/call has these params; the nearest is");
    await client.close();
  }
});

test("a strict replay over HTTP ends with an error that lists what was not requested", async () => {
  const child = spawn(process.execPath, [main, "replay", "--strict", "--port", "0", file], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  const url = await new Promise<string>((resolve) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const found = /Replaying at (\S+)/.exec(stderr)?.[1];
      if (found) resolve(found);
    });
  });
  const client = await connect(url);
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["pid", "greet"]);
  await client.close();
  const closed = once(child, "close");
  child.kill("SIGTERM");
  expect((await closed)[0]).toBe(1);
  expect(stderr).toContain('not requested: tools/call {"name":"greet"');
});

test("an update requests the missing answers from the server and adds them to the file", async () => {
  const copy = join(folder, "copy.json");
  await writeFile(copy, await readFile(file));
  const client = await testClient(lethe("replay", "--update", copy, "--", process.execPath, program));
  const { content } = await client.callTool("pid");
  await client.close();
  const replayed = await testClient(lethe("replay", copy));
  expect((await replayed.callTool("pid")).content).toEqual(content);
  await replayed.close();
});

test.each<[args: string[], message: string]>([
  [["record", "http://127.0.0.1:1/mcp"], "--output"],
  [["record", "-o", "x.json", "--port", "x", "--", "node"], "--port must be a port from 0 to 65535"],
  [["replay", "none.json"], "none.json"],
  [["replay", "--update", "x.json"], "--update needs a server"],
  [["replay", "x.json", "--", "node"], "a server is only asked with --update"],
])("the usage error of lethe %s is one sentence", async (args, message) => {
  const { code, stderr } = await runLethe(...args);
  expect(stderr).toContain(message);
  expect(code).toBe(1);
});
