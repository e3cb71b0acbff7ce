// Small server programs for tests, as arguments for `node`.
import { spawnSync } from "node:child_process";

/** Runs `code`, which may use `read(handle)` for the lines of stdin and `write(value)` for stdout. */
export function script(code: string): string[] {
  const prelude = `
    const lines = require("node:readline").createInterface({ input: process.stdin });
    const read = (handle) => lines.on("line", (line) => handle(JSON.parse(line)));
    const write = (value) => process.stdout.write((typeof value === "string" ? value : JSON.stringify(value)) + "\\n");
  `;
  return ["-e", prelude + code];
}

/** Answers each request with its own params. */
export const echo: string[] = script("read(({ id, params }) => write({ jsonrpc: '2.0', id, result: params ?? {} }))");

/** Hears neither the end of stdin nor SIGTERM, and has a child like that. Tells the child's pid. */
export const stubborn: string[] = script(`
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
  const child = require("node:child_process").spawn(process.execPath, ["-e",
    "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send('ready')"], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  child.on("message", () => write({ jsonrpc: "2.0", method: "child", params: { pid: child.pid } }));
`);

/** Ends with stdin, and leaves a child behind that shares its pipes. */
export const careless: string[] = script(`
  const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
  child.on("spawn", () => write({ jsonrpc: "2.0", method: "child", params: { pid: child.pid } }));
  child.unref();
  process.stdin.on("end", () => process.exit(0));
`);

/** True while the process is there and not merely unburied. */
export function isRunning(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}
