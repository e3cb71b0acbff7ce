// The demonstration server over each transport of HTTP: what works where, measured (I-33 to I-38). Pipes are in e2e/compare.
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
    "modern Streamable HTTP: everything, without a session, GET or DELETE (I-33, I-34, I-37)",
    modern,
    `${all} background`,
    ["POST"],
  ],
  [
    "stateless legacy HTTP: calls, progress and tasks, but no questions and no news (I-33)",
    stateless,
    "list call progress background",
    ["GET", "POST"],
  ],
  [
    "legacy HTTP with sessions: everything, with the tasks of its revision (I-34, D-38)",
    sessions,
    `${all} background`,
    ["DELETE", "GET", "POST"],
  ],
  ["HTTP+SSE: everything, on one stream (I-38)", sse, `${all} background`, ["GET", "POST"]],
])("%s", async (_name, open, works, verbs) => {
  opened = await open?.();
  if (!opened) return expect.unreachable();
  const recording = await recordTransport(opened.transport, { script: demoScript, settleMs: 50 });
  const marked = judge(recording).filter(({ mark }) => mark === "✓");
  expect(marked.map(({ feature }) => feature).join(" ")).toBe(works);
  expect([...new Set(recording.exchanges.map(({ request }) => request.verb))].sort()).toEqual(verbs);
  expect(recording.exchanges.filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
});

it("in a session an answer comes on the stream of its request, never on the standing GET stream (I-35)", async () => {
  opened = await sessions?.();
  if (!opened) return expect.unreachable();
  const { exchanges } = await recordTransport(opened.transport, { script: demoScript, settleMs: 50 });
  const standing = exchanges.filter(({ request }) => request.verb === "GET");
  expect(
    standing.flatMap(({ response }) => response?.events ?? []).filter(({ data }) => data.includes('"result"')),
  ).toEqual([]);
});

it("a server that is not there is a transport that cannot be taken, not an error", async () => {
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

it("nobody hears of the recorder: what is told names the server", async () => {
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

it("a command has startTimeoutMs for its first answer, regardless of connectTimeoutMs", async () => {
  const target = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
  const transport = { kind: "stdio", id: "x", title: "x", era: "legacy", target } as const;
  const { steps } = await recordTransport(transport, {
    script: demoScript,
    connectTimeoutMs: 60_000,
    startTimeoutMs: 50,
  });
  expect(steps[0]?.detail).toContain("0.05 s (startTimeoutMs)");
});

it.each(["streamable-http", "http-sse"] as const)("the signal ends a wait for a mute server, over %s", async (kind) => {
  const stopped = new AbortController();
  const mute = createServer(() => stopped.abort(new Error("enough"))).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}/mcp`;
  const transport = { kind, id: "x", title: "x", era: "legacy", url } as const;
  await expect(recordTransport(transport, { script: demoScript, signal: stopped.signal })).rejects.toThrow("enough");
  mute.closeAllConnections();
  mute.close();
});

it("the signal ends a call", async () => {
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
