// Records the demonstration server over each HTTP transport (I-33 to I-38). e2e/compare covers stdio.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { judge } from "../report/verdict.ts";
import { demoScript } from "../script/built-in-scripts.ts";
import { demoTransports, type OpenTransport } from "./demo-transports.ts";
import { recordTransport } from "./record-transport.ts";

let opened: OpenTransport | undefined;
afterEach(() => opened?.close());

const [modern, stateless, sessions, sse] = demoTransports;
const all = "list call sampling elicitation roots progress logging changes";

it.each([
  [
    "every feature works over modern Streamable HTTP with POST requests only (I-33, I-34, I-37)",
    modern,
    `${all} background`,
    ["POST"],
  ],
  [
    "calls, progress and tasks work over stateless legacy HTTP, input requests and notifications do not (I-33)",
    stateless,
    "list call progress background",
    ["GET", "POST"],
  ],
  [
    "every feature works over legacy HTTP with sessions, including tasks of 2025-11-25 (I-34, D-38)",
    sessions,
    `${all} background`,
    ["DELETE", "GET", "POST"],
  ],
  ["every feature works over HTTP+SSE on one stream (I-38)", sse, `${all} background`, ["GET", "POST"]],
])("%s", async (_name, open, works, verbs) => {
  opened = await open?.();
  if (!opened) return expect.unreachable();
  const recording = await recordTransport(opened.transport, { script: demoScript, settleMs: 50 });
  const marked = judge(recording).filter(({ mark }) => mark === "✓");
  expect(marked.map(({ feature }) => feature).join(" ")).toBe(works);
  expect([...new Set(recording.exchanges.map(({ request }) => request.verb))].sort()).toEqual(verbs);
  expect(recording.exchanges.filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
});

it("a server with sessions sends responses on the stream of their request, never on the GET stream (I-35)", async () => {
  opened = await sessions?.();
  if (!opened) return expect.unreachable();
  const { exchanges } = await recordTransport(opened.transport, { script: demoScript, settleMs: 50 });
  const getStreams = exchanges.filter(({ request }) => request.verb === "GET");
  expect(
    getStreams.flatMap(({ response }) => response?.events ?? []).filter(({ data }) => data.includes('"result"')),
  ).toEqual([]);
});

it("recordTransport reports an unreachable server as a failed connect step", async () => {
  const transport = {
    kind: "streamable-http",
    id: "x",
    title: "x",
    era: "modern",
    url: "http://127.0.0.1:1/mcp",
  } as const;
  const { steps, remarks } = await recordTransport(transport, { script: demoScript, connectTimeoutMs: 2_000 });
  const reason = expect.stringMatching(/^the server could not be reached: .*ECONNREFUSED/);
  expect(steps).toMatchObject([{ name: "connect", outcome: "failed", detail: reason }]);
  expect(remarks).toContainEqual(reason);
});

it("recordTransport names the server, not the recorder, in error messages", async () => {
  const server = createServer((_request, response) => response.writeHead(404).end("nothing")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const http = { kind: "streamable-http", id: "x", title: "x", era: "legacy", url } as const;
  const overHttp = await recordTransport(http, { script: demoScript });
  server.close();
  expect(overHttp.steps[0]?.detail).toContain(` to ${url}: `);
  const target = { command: process.execPath, args: ["-e", "process.exit(7)"] };
  const stdio = { kind: "stdio", id: "x", title: "x", era: "legacy", target } as const;
  const overStdio = await recordTransport(stdio, { script: demoScript });
  expect(overStdio.steps[0]?.detail).toBe(`${process.execPath} -e process.exit(7) exited with code 7`);
});

it("recordTransport gives a command startTimeoutMs for its first answer, regardless of connectTimeoutMs", async () => {
  const target = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
  const transport = { kind: "stdio", id: "x", title: "x", era: "legacy", target } as const;
  const { steps } = await recordTransport(transport, {
    script: demoScript,
    connectTimeoutMs: 60_000,
    startTimeoutMs: 50,
  });
  expect(steps[0]?.detail).toContain("0.05 s (startTimeoutMs)");
});

it.each(["streamable-http", "http-sse"] as const)(
  "the signal ends the wait for a silent server over %s",
  async (kind) => {
    const stopped = new AbortController();
    const mute = createServer(() => stopped.abort(new Error("enough"))).listen(0, "127.0.0.1");
    await once(mute, "listening");
    const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}/mcp`;
    const transport = { kind, id: "x", title: "x", era: "legacy", url } as const;
    await expect(recordTransport(transport, { script: demoScript, signal: stopped.signal })).rejects.toThrow("enough");
    mute.closeAllConnections();
    mute.close();
  },
);

it("the signal ends a pending call", async () => {
  opened = await modern?.();
  if (!opened) return expect.unreachable();
  const stopped = new AbortController();
  const steps = [
    {
      name: "x",
      feature: "call",
      get tool() {
        stopped.abort(new Error("enough"));
        return "greet";
      },
    },
  ] as const;
  const recording = recordTransport(opened.transport, { script: { name: "", steps }, signal: stopped.signal });
  await expect(recording).rejects.toThrow("enough");
});
