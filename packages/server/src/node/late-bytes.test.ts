// Requests on one connection: their bodies and responses count in the memory budget as long as they are held.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { MemoryBudget, type Result } from "@lethe/protocol";
import { afterEach, expect, it } from "vitest";
import { holdDispatch } from "../testing/held-dispatch.ts";
import { callOf } from "../testing/messages.ts";
import { type ServeOptions, type Serving, serve } from "./serve.ts";

const call = JSON.stringify(callOf());

let serving: Serving;
let sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await serving.close({ graceMs: 0 });
});

async function dial(): Promise<Socket> {
  const socket = connect({ port: serving.port, host: "127.0.0.1" });
  sockets.push(socket);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

function headOf(length: number): string {
  const lines = [
    "POST /mcp HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2026-07-28",
    "Mcp-Method: tools/call",
    "Mcp-Name: add",
    `Content-Length: ${length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

async function start(options: ServeOptions) {
  const held = [holdDispatch(), holdDispatch()];
  const [first, second] = held as [ReturnType<typeof holdDispatch>, ReturnType<typeof holdDispatch>];
  const waiting = [...held];
  const { dispatch: other } = holdDispatch();
  serving = await serve(
    { dispatch: (request, exchange) => (waiting.shift()?.dispatch ?? other)(request, exchange) },
    { port: 0, ...options },
  );
  return { first, second };
}

it("a body that continues after its request was rejected as too slow is not counted", async () => {
  const memory = new MemoryBudget(64 * 1024 * 1024);
  const { first, second } = await start({ memory, bodyTimeoutMs: 300, requestTimeoutMs: 0 });
  const pipelined = await dial();
  // The rejection of the second request waits for the response to the first, so the connection stays open.
  pipelined.write(`${headOf(call.length)}${call}`);
  await first.exchange;
  pipelined.write(`${headOf(1_000_000)}{`);
  const later = await dial();
  later.write(`${headOf(call.length)}{`);
  const [refusal] = (await once(later, "data")) as [Buffer];
  expect(refusal.toString()).toMatch(/^HTTP\/1.1 408 /);
  // A server reads the third request after the whole body of the second.
  pipelined.write(`${" ".repeat(999_999)}${headOf(call.length)}${call}`);
  await second.exchange;
  expect(memory.heldBytes).toBe(0);
});

it("a large response to a request whose connection has closed is not counted", async () => {
  const memory = new MemoryBudget(64 * 1024 * 1024);
  const { first, second } = await start({ memory });
  const pipelined = await dial();
  pipelined.write(`${headOf(call.length)}${call}`.repeat(2));
  const signal = (await first.exchange).signal;
  await second.exchange;
  const aborted = once(signal, "abort");
  pipelined.destroy();
  await aborted;
  const result: Result = { resultType: "complete", content: [{ type: "text", text: "x".repeat(1_000_000) }] };
  second.finish(result);
  await new Promise((resolve) => setImmediate(resolve));
  expect(memory.heldBytes).toBe(0);
});

it("responses that wait for an earlier one on their connection are counted together until they are sent", async () => {
  const memory = new MemoryBudget(64 * 1024 * 1024);
  const first = holdDispatch();
  const dispatches = [first.dispatch];
  const result: Result = { resultType: "complete", content: [{ type: "text", text: "x".repeat(30_000) }] };
  serving = await serve(
    { dispatch: (request, exchange) => dispatches.shift()?.(request, exchange) ?? Promise.resolve(result) },
    { port: 0, memory },
  );
  const pipelined = await dial();
  pipelined.write(`${headOf(call.length)}${call}`.repeat(21));
  await first.exchange;
  await expect.poll(() => memory.heldByKind.responses).toBeGreaterThan(20 * 30_000);
  pipelined.resume();
  first.finish();
  await expect.poll(() => memory.heldBytes).toBe(0);
});
