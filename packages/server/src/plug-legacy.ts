// Connects the legacy edge to a server (D.4). The folder legacy/ can be deleted: only this file and the entry points import it.
// scripts/without-legacy.mjs proves that.
import { isJsonObject, type KnownOptions, nameOf } from "@lethe/protocol";
import type { Clock } from "./clock/clock.ts";
import type { LegacyEdge } from "./http/servable.ts";
import { createLateLegacyEdge } from "./legacy/late-edge.ts";
import type { LegacyServed } from "./legacy/legacy-edge.ts";
import { knownLegacyOptions, type LegacyOptions } from "./legacy/shared/legacy-options.ts";
import { openWorkerStore } from "./replicas/worker-stores.ts";

export interface LegacyServerOptions {
  /** How clients of older revisions are served. Default: all revisions, in sealed sessions. */
  legacy?: LegacyOptions;
}

export const knownLegacyServerOptions: KnownOptions<LegacyServerOptions> = { legacy: knownLegacyOptions };

export function plugLegacy(
  served: LegacyServed,
  { legacy, clock }: LegacyServerOptions & { clock?: Clock },
): LegacyEdge | undefined {
  if (legacy !== undefined && !isJsonObject(legacy)) {
    throw new Error(`createServer: legacy: an object such as { sessions: "off" } expected, got ${nameOf(legacy)}`);
  }
  const shared = openWorkerStore<LegacyOptions>("legacy", served.info.name);
  return createLateLegacyEdge(served, { clock, ...shared, ...legacy });
}
