// An unhandled rejection ends the server process, unless it is the suspension of a handler.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const script = fileURLToPath(new URL("branching.mjs", import.meta.url));
let child: ChildProcessWithoutNullStreams;
let stderr = "";

beforeEach(() => {
  stderr = "";
  child = spawn(process.execPath, [script], { stdio: "pipe" });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
});
afterEach(() => {
  child.kill("SIGKILL");
});

function send(name: string): void {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: name, method: "tools/call", params: { name, _meta } })}\n`);
}

async function call(name: string): Promise<{ result: Record<string, unknown> }> {
  const lines = createInterface({ input: child.stdout });
  const answer = once(lines, "line");
  send(name);
  const [line] = (await answer) as [string];
  lines.close();
  return JSON.parse(line);
}

it("a suspended branch that the handler never awaits does not end the server", async () => {
  for (let calls = 0; calls < 3; calls += 1) {
    const { result } = await call("suspended");
    expect(Object.keys(result.inputRequests as object)).toHaveLength(2);
  }
  const ended = once(child, "close");
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  expect(stderr).not.toContain("unhandledRejection");
});

it("any other unhandled rejection ends the process", async () => {
  await call("suspended");
  const ended = once(child, "close");
  send("broken");
  expect(await ended).toEqual([1, null]);
  expect(stderr).toContain("unhandledRejection: a real mistake");
  expect(stderr).toContain("Error: a real mistake\n    at ");
});
