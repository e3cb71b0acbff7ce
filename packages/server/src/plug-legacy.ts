// The one place where clients of older revisions are plugged into a server (D.4). Without the room legacy/ nothing else is
// missed but what index.ts passes on from there: scripts/without-legacy.mjs proves it.
import type { LegacyEdge } from "./http/servable.ts";
import { createLegacyEdge, type LegacyServed } from "./legacy/legacy-edge.ts";
import type { LegacyOptions } from "./legacy/shared/legacy-options.ts";

export interface LegacyServerOptions {
  /** How clients of older revisions are served. Default: all of them, in sealed sessions. */
  legacy?: LegacyOptions;
}

export function plugLegacy(served: LegacyServed, { legacy }: LegacyServerOptions): LegacyEdge | undefined {
  return createLegacyEdge(served, legacy);
}
