// Stores what the gateway learned about an upstream across restarts, by the upstream's address and not by its name.
import { createHash } from "node:crypto";
import type { AuthStore } from "@lethe/client/auth";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { UpstreamConfig } from "../../config/upstream-config.ts";

export type FactStore = Pick<AuthStore, "load" | "save">;

/** How long a fact is valid, in ms. The server may change later. */
const factTtlMs = 30 * 24 * 3_600_000;

/** Bounds the size of one stored fact. Other tools are learned again after a restart. */
const maxStoredTools = 1_000;

function addressOf(upstream: UpstreamConfig): unknown[] {
  if (upstream.kind === "memory") return ["memory", upstream.name];
  if (upstream.kind === "http") return [upstream.url];
  if (upstream.kind === "openapi") return [upstream.document];
  return [upstream.command, upstream.args, upstream.cwd ?? null, upstream.env];
}

/** A digest, because a command line or URL may hold secrets. `fact` separates the facts about one upstream. */
function keyOf(upstream: UpstreamConfig, ...fact: ["legacy tools"] | []): string {
  const what = [...addressOf(upstream), ...fact];
  return createHash("sha256").update(JSON.stringify(what)).digest("hex");
}

/** Whether an earlier run learned that the upstream accepts one connection at a time. Never rejects. */
export async function recallsSingleTenant(store: FactStore, upstream: UpstreamConfig): Promise<boolean> {
  try {
    const fact = await store.load(keyOf(upstream));
    return isJsonObject(fact) && fact.isSingleTenant === true && isFresh(fact);
  } catch {
    return false;
  }
}

/** Never rejects: the gateway learns again after a restart what it cannot store. */
export async function noteSingleTenant(store: FactStore, upstream: UpstreamConfig): Promise<void> {
  try {
    await store.save(keyOf(upstream), { isSingleTenant: true, learnedAt: Date.now() });
  } catch {}
}

/** The tools that an earlier run of the gateway switched to the older era. Never rejects. */
export async function recallLegacyTools(store: FactStore, upstream: UpstreamConfig): Promise<readonly string[]> {
  try {
    const fact = await store.load(keyOf(upstream, "legacy tools"));
    if (!isJsonObject(fact) || !Array.isArray(fact.tools) || !isFresh(fact)) return [];
    return fact.tools.filter((tool) => typeof tool === "string");
  } catch {
    return [];
  }
}

/** Never rejects: the gateway learns again after a restart what it cannot store. */
export async function noteLegacyTools(
  store: FactStore,
  upstream: UpstreamConfig,
  tools: readonly string[],
): Promise<void> {
  try {
    const stored = tools.slice(0, maxStoredTools);
    await store.save(keyOf(upstream, "legacy tools"), { tools: stored, learnedAt: Date.now() });
  } catch {}
}

function isFresh({ learnedAt }: JsonObject): boolean {
  return Date.now() - Number(learnedAt) < factTtlMs;
}
