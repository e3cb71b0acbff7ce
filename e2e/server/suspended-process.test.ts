// A server process that was suspended (SIGSTOP) must not run requests whose clients gave up meanwhile: a load balancer may have told
// them that the request failed.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startProcess, stopProcess } from "../processes/server.ts";

let child: ChildProcess;
let url: URL;
let file: string;

beforeEach(async () => {
  file = join(tmpdir(), `lethe-suspended-${crypto.randomUUID()}`);
  await writeFile(file, "");
  child = startProcess("e2e/server/suspended-server.mjs", { args: [file] });
  const [line] = (await once(
    createInterface({ input: child.stdout as NonNullable<ChildProcess["stdout"]> }),
    "line",
  )) as [string];
  url = new URL(line);
});

afterEach(async () => {
  child.kill("SIGCONT");
  await stopProcess(child);
  await rm(file);
});

const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "record",
    arguments: {},
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});

async function open(): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

function post(socket: Socket): void {
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2026-07-28",
    "Mcp-Method: tools/call",
    "Mcp-Name: record",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
}

async function runs(): Promise<number> {
  return (await readFile(file, "utf8")).split("\n").length - 1;
}

/** Returns the text that arrives on a socket until it contains `end`. */
async function read(socket: Socket, end: string): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await vi.waitFor(() => expect(text).toContain(end), { timeout: 10_000 });
  return text;
}

it.each([
  ["ends", (socket: Socket) => socket.end()],
  ["resets", (socket: Socket) => socket.resetAndDestroy()],
])("runs no request whose client %s the connection while the process is suspended", async (_, leave) => {
  const [kept, staying] = [await open(), await open()];
  post(kept);
  await read(kept, "recorded");
  child.kill("SIGSTOP");
  const fresh = await open();
  for (const socket of [kept, fresh, staying]) post(socket);
  await sleep(1_500);
  leave(kept);
  leave(fresh);
  await sleep(100);
  child.kill("SIGCONT");
  // A client that still waits gets its answer.
  await read(staying, "recorded");
  expect(await runs()).toBe(2);
});
