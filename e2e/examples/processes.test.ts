// Runs the built examples as separate processes.
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { metaKey, modelRevision } from "@lethe/protocol";
import { afterEach, expect, it } from "vitest";
import { createWireClient, type Handle } from "../../examples/src/testing/wire-client.ts";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { startProcess, startServer, stopProcess } from "../processes/server.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()));
});

async function serverOf(...parameters: Parameters<typeof startServer>): Promise<string> {
  const server = await startServer(...parameters);
  cleanups.push(() => server.stop());
  return server.url;
}

/** Sends each request to the next of some URLs. */
function inTurnTo(urls: string[]): Handle {
  let turn = 0;
  return (request) => {
    turn += 1;
    return fetch(new Request(urls[turn % urls.length] as string, request));
  };
}

it("the first server answers over HTTP", async () => {
  const url = await serverOf("examples/dist/first-server.js", { env: { PORT: "0" } });
  const { result } = await createWireClient(inTurnTo([url])).callTool("add", { a: 2, b: 3 });
  expect(result?.content).toEqual([{ type: "text", text: "2 + 3 = 5" }]);
});

it("the stdio server writes only responses to stdout (C-16)", async () => {
  const child = startProcess("examples/dist/stdio.js");
  cleanups.push(() => stopProcess(child));
  const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {} };
  const params = { name: "greet", arguments: {}, _meta };
  child.stdin?.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
  const lines: string[] = [];
  if (child.stdout) for await (const line of createInterface({ input: child.stdout })) lines.push(line);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "").result.content).toMatchObject([{ text: "Hello from stdio" }]);
  if (child.exitCode === null) await once(child, "close");
  expect(child.exitCode).toBe(0);
});

it("the rounds of a tracker call run on different processes, and the audit has one line per call (E-31)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tracker-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const audit = join(folder, "audit.jsonl");
  const start = {
    args: ["--port", "0", "--audit", audit],
    env: { LETHE_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64url")}` },
  };
  const urls = await Promise.all([1, 2, 3].map(() => serverOf("examples/tracker/dist/server.js", start)));
  const client = createWireClient(inTurnTo(urls));

  const results = await Promise.all(
    [1, 2, 3, 4].map(async (id) => {
      const contents = [{ resolution: "Duplicate" }, { duplicateOf: (id % 4) + 1 }];
      const answer = () => ({ action: "accept", content: contents.shift() });
      return (await client.converse("resolve_bug", { id }, answer)).result?.structuredContent;
    }),
  );
  expect(results).toMatchObject([{ duplicateOf: 2 }, { duplicateOf: 3 }, { duplicateOf: 4 }, { duplicateOf: 1 }]);
  const lines = (await readFile(audit, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).bug).sort()).toEqual([1, 2, 3, 4]);
});

it("five retries of the tracker's last round on two processes that share Redis have one effect (E-28)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tracker-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const redis = await startRedis();
  cleanups.push(() => redis.stop());
  const audit = join(folder, "audit.jsonl");
  const start = {
    args: ["--port", "0", "--audit", audit, "--redis", redis.url],
    env: { LETHE_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64url")}` },
  };
  const urls = await Promise.all([1, 2].map(() => serverOf("examples/tracker/dist/server.js", start)));
  const client = createWireClient(inTurnTo(urls));

  const { result: asked } = await client.callTool("resolve_bug", { id: 1 });
  const [key = ""] = Object.keys(asked?.inputRequests as object);
  const inputResponses = { [key]: { action: "accept", content: { resolution: "Fixed" } } };
  const post = () => client.callTool("resolve_bug", { id: 1 }, { inputResponses, requestState: asked?.requestState });
  const together = await Promise.all([post(), post(), post()]);
  const posts = [...together, await post(), await post()];
  const outcomes = posts.map(({ status, result }) => (status === 200 ? result?.structuredContent : status));
  // While the first one runs, the other process asks the client to retry.
  for (const outcome of outcomes.filter((one) => one !== 503)) expect(outcome).toMatchObject({ resolution: "Fixed" });
  expect(outcomes.slice(3)).not.toContain(503);
  expect((await readFile(audit, "utf8")).trimEnd().split("\n")).toHaveLength(1);
});
