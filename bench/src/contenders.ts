// Who is measured. Adding a contender is one entry here; a command may be anything that runs on this machine.
import { fileURLToPath } from "node:url";
import type { Wire } from "./load/wire.ts";

export interface Contender {
  name: string;
  wire: Wire;
  /** A command that serves `/mcp` on the port in PORT (0 = any) and says `listening <port>` on stdout. */
  http?: readonly string[];
  /** A command that serves the same tools on stdin and stdout. */
  stdio?: readonly string[];
  /** What its user installs. */
  packages?: readonly string[];
  /** What it cannot do: progress, listen streams, questions in a call, tasks, a bound on what it holds for a slow reader. */
  lacks?: readonly ("progress" | "streams" | "questions" | "tasks" | "bounds")[];
  /** A second way to run the same package: left out of --quick. */
  isVariant?: boolean;
}

/** The name of the contender that the others are divided by. */
export const floorName = "floor";

export const contenders: readonly Contender[] = [
  {
    name: floorName,
    wire: "modern",
    http: script("contenders/floor-http.js"),
    stdio: script("contenders/floor-stdio.js"),
    lacks: ["questions", "tasks", "bounds"],
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
    lacks: ["streams", "questions", "tasks"],
  },
];

/** One of our compiled files under this Node. From src/ and from dist/ alike, since both lie in bench/. */
function script(file: string): readonly string[] {
  return [process.execPath, fileURLToPath(new URL(`../dist/${file}`, import.meta.url))];
}
