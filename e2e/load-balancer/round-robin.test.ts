// Conversations of two rounds behind a real nginx, over three processes that share only keys, one of which is killed.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isTransportError } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { CallToolResult, ElicitFormParams, ElicitResult } from "@lethe/protocol";
import { afterEach, expect, it } from "vitest";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { startNginx } from "../processes/nginx.ts";
import { startProcess, stopProcess } from "../processes/server.ts";

const conversations = 200;
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Tracker {
  child: ChildProcess;
  port: number;
}

async function startTracker(port: number, audit: string): Promise<Tracker> {
  const child = startProcess("examples/tracker/dist/server.js", {
    args: ["--port", String(port), "--audit", audit, "--bugs", String(conversations + 1)],
    env: { LETHE_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64url")}` },
  });
  cleanups.push(() => stopProcess(child));
  if (child.stdout) await once(createInterface({ input: child.stdout }), "line");
  return { child, port };
}

async function restart({ child, port }: Tracker, audit: string): Promise<void> {
  const gone = once(child, "close");
  child.kill("SIGKILL");
  await gone;
  await startTracker(port, audit);
}

it("200 conversations succeed while a process is killed, and each undisturbed one is audited once (E-31)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lethe-round-robin-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const audit = join(folder, "audit.jsonl");
  const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  const trackers = await Promise.all(ports.map((port) => startTracker(port, audit)));
  const nginx = await startNginx(ports);
  cleanups.push(() => nginx.stop());

  let questions = 0;
  let restarted: Promise<void> | undefined;
  const client = await connect(nginx.url, {
    elicit(params: ElicitFormParams): ElicitResult {
      questions += 1;
      if (questions === conversations) restarted = restart(trackers[1] as Tracker, audit);
      const isFirst = "resolution" in params.requestedSchema.properties;
      return { action: "accept", content: isFirst ? { resolution: "Duplicate" } : { duplicateOf: 1 } };
    },
  });
  cleanups.push(() => client.close());

  const disturbed = new Set<number>();
  async function converse(id: number): Promise<CallToolResult> {
    for (;;) {
      try {
        return await client.callTool("resolve_bug", { id });
      } catch (error) {
        // The killed process lost the request, or nginx answered for it: the client sends it again.
        if (!isTransportError(error)) throw error;
        disturbed.add(id);
      }
    }
  }
  const ids = Array.from({ length: conversations }, (_, index) => index + 2);
  const results = await Promise.all(ids.map(converse));
  await restarted;

  expect(results.map(({ structuredContent }) => structuredContent)).toEqual(
    ids.map((id) => expect.objectContaining({ id, state: "resolved", resolution: "Duplicate", duplicateOf: 1 })),
  );
  const audited = (await readFile(audit, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).bug as number);
  const undisturbed = ids.filter((id) => !disturbed.has(id));
  expect(undisturbed.length).toBeGreaterThan(0);
  for (const id of undisturbed) expect(audited.filter((one) => one === id)).toHaveLength(1);
});
