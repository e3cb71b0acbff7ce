// The command line of the MCP Inspector, as its own process: one request, its result as JSON.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname } from "node:path";

const main = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector-cli/build/index.js");

export interface Inspected {
  code: number | null;
  /** Undefined when nothing was printed. */
  result: unknown;
  stderr: string;
}

/** `target` is a URL, or a command with its arguments. */
export async function inspect([first = "", ...rest]: readonly string[], ...options: string[]): Promise<Inspected> {
  // It reads its package.json by a path relative to this folder.
  const cwd = dirname(main);
  const args = [main, first, ...options, "--", ...rest];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, result: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}
