// Clients that are measured against one and the same server, which does as little as it can.
import { fileURLToPath } from "node:url";

export interface ClientContender {
  name: string;
  /** What exports `connect`: see clients/caller.ts. */
  module: string;
  /** Over HTTP only. */
  lacksStdio?: boolean;
}

/** The client that the others are divided by. */
export const bareName = "bare";

export const clients: readonly ClientContender[] = [
  { name: bareName, module: script("clients/bare.js") },
  { name: "lethe", module: script("client.js") },
  { name: "undici pool", module: script("clients/undici-pool.js"), lacksStdio: true },
  { name: "official v2", module: script("clients/official-v2.js") },
  { name: "official v1", module: script("clients/official-v1.js") },
];

/** One of our compiled files. From src/ and from dist/ alike, since both lie in bench/. */
export function script(file: string): string {
  return fileURLToPath(new URL(`../dist/${file}`, import.meta.url));
}
