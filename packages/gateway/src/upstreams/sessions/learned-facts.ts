// What the gateway learned of an upstream, remembered across restarts: under what it is, and not under its name.
import { createHash } from "node:crypto";
import type { AuthStore } from "@lethe/client";
import { isJsonObject } from "@lethe/protocol";
import type { UpstreamConfig } from "../../config/upstream-config.ts";

export type FactStore = Pick<AuthStore, "load" | "save">;

/** A fact older than this is forgotten, in ms: the server may have been mended. */
const factTtlMs = 30 * 24 * 3_600_000;

/** A digest, because a command line or URL may hold secrets. */
function keyOf(upstream: UpstreamConfig): string {
  const what =
    upstream.kind === "http" ? [upstream.url] : [upstream.command, upstream.args, upstream.cwd ?? null, upstream.env];
  return createHash("sha256").update(JSON.stringify(what)).digest("hex");
}

/** Whether it was learned that the upstream bears one connection at a time. Never rejects. */
export async function recallsSingleTenant(store: FactStore, upstream: UpstreamConfig): Promise<boolean> {
  try {
    const fact = await store.load(keyOf(upstream));
    const learnedAt = isJsonObject(fact) && fact.isSingleTenant === true ? Number(fact.learnedAt) : Number.NaN;
    return Date.now() - learnedAt < factTtlMs;
  } catch {
    return false;
  }
}

/** Never rejects: what cannot be noted is learned again after a restart. */
export async function noteSingleTenant(store: FactStore, upstream: UpstreamConfig): Promise<void> {
  try {
    await store.save(keyOf(upstream), { isSingleTenant: true, learnedAt: Date.now() });
  } catch {}
}
