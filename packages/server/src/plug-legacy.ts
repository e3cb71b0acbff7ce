// Connects the legacy edge to a server (D.4). The folder legacy/ can be deleted: only this file and the entry points import it.
// scripts/without-legacy.mjs proves that.
import type { KnownOptions } from "@lethe/protocol";
import type { Clock } from "./clock/clock.ts";
import type { LegacyEdge } from "./http/servable.ts";
import { createLegacyEdge, type LegacyServed } from "./legacy/legacy-edge.ts";
import { knownLegacyOptions, type LegacyOptions } from "./legacy/shared/legacy-options.ts";

export interface LegacyServerOptions {
  /** How clients of older revisions are served. Default: all revisions, in sealed sessions. */
  legacy?: LegacyOptions;
}

export const knownLegacyServerOptions: KnownOptions<LegacyServerOptions> = { legacy: knownLegacyOptions };

export function plugLegacy(
  served: LegacyServed,
  { legacy, clock }: LegacyServerOptions & { clock?: Clock },
): LegacyEdge | undefined {
  return createLegacyEdge(served, { clock, ...legacy });
}
