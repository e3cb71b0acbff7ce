// The node:http handler inside real frameworks.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type HttpBindings, serve as serveHono } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Dispatch } from "@lethe/protocol";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { expect, it, vi } from "vitest";
import { createFetchHandler } from "../http/fetch-handler.ts";
import { holdDispatch } from "../testing/held-dispatch.ts";
import { callOf, progress } from "../testing/messages.ts";
import { createNodeHandler } from "./node-handler.ts";

const dispatch: Dispatch = async ({ params }, exchange) => {
  if (params.name === "slow") exchange.notify(progress);
  return { resultType: "complete", tool: params.name };
};
const handler = createNodeHandler({ dispatch });

async function call(url: string, tool: string): Promise<string> {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": tool,
    },
    body: JSON.stringify(callOf(tool)),
  });
  return `${answer.status} ${answer.headers.get("content-type")} ${await answer.text()}`;
}

async function expectServed(url: string): Promise<void> {
  const result = (tool: string) => `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tool":"${tool}"}}`;
  expect(await call(url, "add")).toBe(`200 application/json ${result("add")}`);
  expect(await call(url, "slow")).toBe(
    `200 text/event-stream data: ${JSON.stringify(progress)}\n\ndata: ${result("slow")}\n\n`,
  );
}

async function listening(server: Server): Promise<string> {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function close(server: Server): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

it.each([
  ["nothing before it", []],
  ["express.json() before it", [express.json()]],
  ["express.text() before it", [express.text({ type: "*/*" })]],
  ["express.raw() before it", [express.raw({ type: "*/*" })]],
])("the handler serves below a path of Express, with %s", async (_what, before) => {
  const app = express();
  for (const middleware of before) app.use(middleware);
  app.use("/mcp", handler);
  app.use("/servers", createNodeHandler({ "/servers/a": { dispatch } }));
  const server = createServer(app);
  const url = await listening(server);
  await expectServed(`${url}/mcp`);
  await expectServed(`${url}/servers/a`);
  expect(await call(`${url}/servers/b`, "add")).toBe("404 text/plain not found");
  await close(server);
});

it("the handler ignores a request that other code has answered", async () => {
  const held = holdDispatch();
  const onError = vi.fn();
  const app = express();
  app.use("/mcp", (request, response, next) => {
    createNodeHandler(held, { onError })(request, response);
    held.exchange.then(() => response.status(503).send("timed out")).catch(next);
  });
  const server = createServer(app);
  expect(await call(`${await listening(server)}/mcp`, "add")).toContain("503 text/html; charset=utf-8 timed out");
  const exchange = await held.exchange;
  expect([exchange.notify(progress), exchange.signal.aborted]).toEqual([true, true]);
  held.finish();
  await close(server);
  expect(onError).not.toHaveBeenCalled();
});

it("the handler serves in Fastify with the parsed body", async () => {
  const app = fastify();
  app.all("/mcp", (request, reply) => {
    reply.hijack();
    handler(request.raw, reply.raw, request.body);
  });
  await expectServed(`${await app.listen({ port: 0, host: "127.0.0.1" })}/mcp`);
  await app.close();
});

it("the handler serves in Fastify before the body is read", async () => {
  const app = fastify();
  app.route({
    method: ["GET", "POST"],
    url: "/mcp",
    onRequest: (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    },
    handler: () => {},
  });
  await expectServed(`${await app.listen({ port: 0, host: "127.0.0.1" })}/mcp`);
  await app.close();
});

it("the fetch handler and the node:http handler serve in Hono on Node", async () => {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const fetchHandler = createFetchHandler({ dispatch });
  app.all("/fetch", (context) => fetchHandler(context.req.raw));
  app.all("/node", (context) => {
    handler(context.env.incoming, context.env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  const server = await new Promise<Server>((resolve) => {
    const started = serveHono({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, () => resolve(started as Server));
  });
  const url = await listening(server);
  await expectServed(`${url}/fetch`);
  await expectServed(`${url}/node`);
  await close(server);
});
