// The measured servers. Each contender is one entry, and its command may be any program on this machine.
import { fileURLToPath } from "node:url";
import type { Wire } from "./load/wire.ts";

export interface Contender {
  name: string;
  wire: Wire;
  /** A command that serves `/mcp` on the port in PORT (0 = any) and prints `listening <port>` on stdout. */
  http?: readonly string[];
  /** A command that serves the same tools on stdin and stdout. */
  stdio?: readonly string[];
  /** The packages that its user installs. */
  packages?: readonly string[];
  /** Missing features: progress, listen streams, elicitation, tasks, a limit on the data held for a slow reader. */
  lacks?: readonly ("progress" | "streams" | "elicitation" | "tasks" | "bounds")[];
  /** A second configuration of the same package. --quick skips it. */
  isVariant?: boolean;
}

/** The name of the baseline: ratios divide by its values. */
export const floorName = "floor";

export const contenders: readonly Contender[] = [
  {
    name: floorName,
    wire: "modern",
    http: script("contenders/floor-http.js"),
    stdio: script("contenders/floor-stdio.js"),
    lacks: ["elicitation", "tasks", "bounds"],
  },
  {
    name: "lethe",
    wire: "modern",
    http: script("server.js"),
    stdio: script("stdio.js"),
    packages: ["@lethe/server"],
  },
  {
    name: "lethe fetch",
    wire: "modern",
    http: script("server-fetch.js"),
    isVariant: true,
  },
  {
    name: "lethe mounted",
    wire: "modern",
    http: script("server-mounted.js"),
    isVariant: true,
  },
  {
    name: "lethe legacy",
    wire: "legacy",
    stdio: script("stdio.js"),
    isVariant: true,
  },
  {
    name: "official v2",
    wire: "modern",
    http: script("contenders/official-v2-http.js"),
    stdio: script("contenders/official-v2-stdio.js"),
    packages: ["@modelcontextprotocol/server", "@modelcontextprotocol/node", "zod"],
    lacks: ["tasks", "bounds"],
  },
  {
    name: "official v2 hoisted",
    wire: "modern",
    http: script("contenders/official-v2-hoisted-http.js"),
    isVariant: true,
  },
  {
    name: "official v1",
    wire: "legacy",
    http: script("contenders/official-v1-http.js"),
    stdio: script("contenders/official-v1-stdio.js"),
    packages: ["@modelcontextprotocol/sdk", "zod"],
    lacks: ["streams", "elicitation", "tasks"],
  },
];

/** The command that runs a compiled file of bench/dist with this Node. It works from src/ and from dist/. */
function script(file: string): readonly string[] {
  return [process.execPath, fileURLToPath(new URL(`../dist/${file}`, import.meta.url))];
}
