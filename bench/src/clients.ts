// The measured clients. All of them call the same minimal server.
import { fileURLToPath } from "node:url";

export interface ClientContender {
  name: string;
  /** The module that exports `connect`: see clients/caller.ts. */
  module: string;
  /** Over HTTP only. */
  lacksStdio?: boolean;
}

/** The baseline: ratios divide by its values. */
export const bareName = "bare";

export const clients: readonly ClientContender[] = [
  { name: bareName, module: script("clients/bare.js") },
  { name: "lethe", module: script("client.js") },
  { name: "undici pool", module: script("clients/undici-pool.js"), lacksStdio: true },
  { name: "official v2", module: script("clients/official-v2.js") },
  { name: "official v1", module: script("clients/official-v1.js") },
];

/** The path of a compiled file of bench/dist. It works from src/ and from dist/. */
export function script(file: string): string {
  return fileURLToPath(new URL(`../dist/${file}`, import.meta.url));
}
