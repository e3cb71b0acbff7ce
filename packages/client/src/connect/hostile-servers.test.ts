import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { openStream, type Received, sendJson, sendResult, startHttpServer } from "../http/testing/http-server.ts";
import { connect as connectInNode } from "../node/connect.ts";
import { connect as connectAnywhere } from "./connect.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const discover = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" };
const json = { "content-type": "application/json" };

/** Writes until the reader has closed. */
function flood(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 1);
  response.on("close", () => clearInterval(timer));
}

function toDeepAnswer({ body }: Received): string {
  const nested = "[".repeat(20_000) + "]".repeat(20_000);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(body.id)},"result":{"content":[],"structuredContent":${nested}}}`;
}

const maxBytes = 50_000;
const tooMuch = "x".repeat(maxBytes + 1);

const answers: [what: string, answer: (received: Received, response: ServerResponse) => void, error: object][] = [
  ["garbage", (_, response) => void response.writeHead(200, json).end("\u0000{]"), { reason: "invalid" }],
  ["a web page", (_, response) => void response.writeHead(200).end("<html>"), { reason: "invalid" }],
  [
    "a proxy's error",
    (_, response) => void response.writeHead(502).end("bad gateway"),
    { reason: "status", status: 502 },
  ],
  ["another id", (_, response) => sendJson(response, { jsonrpc: "2.0", id: 99, result: {} }), { reason: "invalid" }],
  ["an array", (_, response) => sendJson(response, []), { reason: "invalid" }],
  [
    "a result of another method",
    (received, response) => sendResult(response, received, { tools: [] }),
    { reason: "invalid" },
  ],
  ["an accepted notification", (_, response) => void response.writeHead(202).end(), { reason: "invalid", status: 202 }],
  [
    "a redirect",
    (_, response) => void response.writeHead(307, { location: "https://e.example/" }).end(),
    { reason: "redirect" },
  ],
  // Neither ends: a client that waits for the end of an oversized body waits for ever.
  ["a huge body", (_, response) => void response.writeHead(200, json).write(tooMuch), { reason: "too_large" }],
  [
    "an endless event",
    (_, response) => {
      openStream(response);
      response.write(`data: ${tooMuch}`);
    },
    { reason: "too_large" },
  ],
  [
    "an endless stream",
    (_, response) => {
      const message = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };
      openStream(response);
      flood(response, `data: ${JSON.stringify(message)}\n\n`);
    },
    { reason: "timeout" },
  ],
  [
    "a stream of garbage",
    (_, response) => {
      openStream(response);
      response.write("data: {]\n\n");
    },
    { reason: "invalid" },
  ],
  [
    "a response that is nested too deeply",
    (received, response) => void response.writeHead(200, json).end(toDeepAnswer(received)),
    { reason: "too_deep" },
  ],
  [
    "the same in a stream",
    (received, response) => {
      openStream(response);
      response.write(`data: ${toDeepAnswer(received)}\n\n`);
    },
    { reason: "too_deep" },
  ],
  [
    "half a body",
    (_, response) => {
      response.writeHead(200, { ...json, "content-length": "100" }).write("{");
    },
    { reason: "timeout" },
  ],
  [
    "a body that breaks off",
    (_, response) => {
      response.writeHead(200, { ...json, "content-length": "100" }).write("{", () => response.destroy());
    },
    { reason: "lost" },
  ],
  ["nothing at all", () => {}, { reason: "timeout" }],
];

describe.each([
  ["undici", connectInNode],
  ["fetch", connectAnywhere],
])("over %s", (_name, connect) => {
  test.each(answers)(
    "%s is an error that names server and method, in time, and leaves no socket",
    // The client reports in time; a busy machine may need longer for the rest.
    { timeout: 30_000 },
    async (_what, answer, expected) => {
      const http = await startHttpServer((received, response) => {
        if (received.body.method === "server/discover") sendResult(response, received, discover);
        else answer(received, response);
      });
      closers.push(() => http.close());
      const time = "reason" in expected && expected.reason === "timeout" ? { timeoutMs: 100, maxTotalMs: 200 } : {};
      const limits = { ...time, maxBodyBytes: maxBytes, maxEventBytes: maxBytes };
      const client = await connect(http.url, limits);
      closers.push(() => client.close());
      const error: unknown = await client.callTool("t").catch((caught: unknown) => caught);
      expect(error).toMatchObject({ name: "TransportError", ...expected });
      expect((error as Error).message).toContain(`tools/call to ${http.url.href}`);
      await client.close();
      // The sockets of fetch are its own to keep.
      if (connect === connectInNode) await http.untilNoSockets();
    },
  );
});
