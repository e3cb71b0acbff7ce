// Tests of runScript: the outcome of each step.
import { createClient } from "@lethe/client/edge";
import type { Dispatch, JsonObject, Result } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { expect, it } from "vitest";
import { clientCapabilities } from "./client-handlers.ts";
import { runScript } from "./run-script.ts";
import { parseScript } from "./script.ts";

const says = (text: string, more: JsonObject = {}): Result => ({
  resultType: "complete",
  content: [{ type: "text", text }],
  ...more,
});

async function run(steps: readonly JsonObject[], capabilities: JsonObject = { tools: {} }) {
  const asked: string[] = [];
  const dispatch: Dispatch = async ({ method, params }, exchange) => {
    const { name } = params as { name?: string };
    asked.push(name ?? method);
    const inputSchema = { type: "object" };
    const tools = ["ok", "broken", "quiet", "loud"].map((tool) => ({ name: tool, inputSchema }));
    if (method === "tools/list") return { resultType: "complete", tools, ttlMs: 0, cacheScope: "private" };
    if (method === "resources/list")
      return { resultType: "complete", resources: [{ uri: "a:b", name: "b" }], ttlMs: 0, cacheScope: "private" };
    if (name === "loud") {
      const { progressToken } = params._meta as { progressToken?: string };
      exchange.notify({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: progressToken ?? "", progress: 1 },
      });
    }
    return name === "broken" ? says("it is broken", { isError: true }) : says(`${name} says Łukasz 🦦`);
  };
  const server = { supportedVersions: ["2026-07-28"], capabilities } as never;
  const closed = new Promise<never>(() => {});
  const connection = {
    dispatch,
    era: "modern",
    revision: "2026-07-28",
    traits: revisionNamed("2026-07-28").traits,
    server,
    closed,
    close: async () => {},
  } as const;
  const client = createClient(connection, "test", { capabilities: clientCapabilities });
  let time = 0;
  const records = await runScript(client, parseScript({ steps }), { now: () => ++time, settleMs: 20 });
  return { asked, outcomes: records.map(({ outcome, detail }) => [outcome, detail]) };
}

it("runScript tries every step, even after a failed one", async () => {
  const { outcomes } = await run([
    { feature: "list" },
    { feature: "call", tool: "broken" },
    { feature: "call", tool: "gone" },
    { feature: "call", tool: "ok", expects: "Howdy" },
    { feature: "call", tool: "ok", expects: "Łukasz 🦦" },
  ]);
  expect(outcomes).toEqual([
    ["done", "4 tools, 0 resources, 0 prompts"],
    ["failed", "it is broken"],
    ["skipped", "the server offers no tool gone"],
    ["failed", 'expected an answer with "Howdy", got "ok says Łukasz 🦦"'],
    ["done", "ok says Łukasz 🦦"],
  ]);
});

it("runScript fails a progress step if no notification arrives, even though the call succeeds", async () => {
  const { outcomes } = await run([
    { feature: "progress", tool: "quiet" },
    { feature: "progress", tool: "loud" },
  ]);
  expect(outcomes).toEqual([
    ["failed", "the call was answered, but no notification came"],
    ["done", "loud says Łukasz 🦦"],
  ]);
});

it("runScript lists only what the server declares and skips a tool that is not listed", async () => {
  const { asked, outcomes } = await run([{ feature: "list" }, { feature: "call", tool: "ok" }], { resources: {} });
  expect(asked).toEqual(["resources/list"]);
  expect(outcomes).toEqual([
    ["done", "0 tools, 1 resources, 0 prompts"],
    ["skipped", "the server offers no tool ok"],
  ]);
});
