// What is particular to node:http: addresses of connections, and frameworks that share the response.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onAbort } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { createAuthenticator } from "../auth/authenticator.ts";
import { holdDispatch } from "../testing/held-dispatch.ts";
import { callOf } from "../testing/messages.ts";
import { createNodeEdge, createNodeHandler, toNodeHandler } from "./node-handler.ts";

it.each([
  ["127.0.0.1", 403],
  ["127.8.8.8", 403],
  ["::1", 403],
  ["::ffff:127.0.0.1", 403],
  ["10.0.0.1", 415],
  ["::ffff:10.0.0.1", 415],
  [undefined, 415],
])("a foreign host name over a connection to %s answers %i (B-3)", (localAddress, status) => {
  const request = { socket: { localAddress }, headers: { host: "evil.example" }, method: "POST", url: "/" };
  const response = { writeHead: vi.fn(), end: vi.fn() };
  const handler = createNodeHandler({ dispatch: async () => ({ resultType: "complete" }) });
  handler(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  expect(response.writeHead).toHaveBeenCalledExactlyOnceWith(status, expect.anything());
});

it("nothing is sent after other code has started to respond, such as the time limit of a framework", async () => {
  const held = holdDispatch();
  const handler = createNodeHandler(held);
  const server = createServer((request, response) => {
    handler(request, response);
    void held.exchange.then(() => {
      response.writeHead(503).write("too ");
      held.finish();
      setImmediate(() => response.end("late"));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const headers = {
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "add",
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(callOf()) });
  expect([answer.status, await answer.text()]).toEqual([503, "too late"]);
  server.closeAllConnections();
  server.close();
});

it("a body that a framework has parsed is served although authentication takes time", async () => {
  let verified = (): void => {};
  const known = new Promise<void>((resolve) => {
    verified = resolve;
  });
  const authenticator = createAuthenticator({
    resource: "https://s.example/mcp",
    authorizationServers: ["https://login.example"],
    verify: async () => {
      await known;
      return { id: "ann" };
    },
  });
  const handler = createNodeHandler({ dispatch: async () => ({ resultType: "complete" }), authenticator });
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      handler(request, response, JSON.parse(Buffer.concat(pieces).toString()));
      request.emit("close");
      verified();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const headers = {
    ...{ "content-type": "application/json", authorization: "Bearer token" },
    ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "add" },
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(callOf()) });
  expect(answer.status).toBe(200);
  server.closeAllConnections();
  server.close();
});

it("after a stall, an answer is not sent to a client that has left, and the request counts as aborted", async () => {
  const held = holdDispatch();
  const edge = createNodeEdge(held, {});
  const handler = toNodeHandler({ ...edge, stalls: { isStale: true, close: () => {} } });
  let response: ServerResponse | undefined;
  const server = createServer((request, own) => {
    response = own;
    handler(request, own);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const body = JSON.stringify(callOf());
  const headers = [
    ...["POST / HTTP/1.1", "Host: localhost", "Content-Type: application/json", `Content-Length: ${body.length}`],
    ...["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: add"],
  ];
  socket.write(`${headers.join("\r\n")}\r\n\r\n${body}`);
  const exchange = await held.exchange;
  let isAborted = false;
  onAbort(exchange, () => {
    isAborted = true;
  });
  // Both happen before the event loop reads the end of the connection.
  socket.destroy();
  held.finish();
  await vi.waitUntil(() => isAborted);
  expect(response?.headersSent).toBe(false);
  server.close();
});

it("a result that JSON cannot express is answered with an internal error", async () => {
  const onError = vi.fn();
  const handler = createNodeHandler(
    { dispatch: async () => ({ resultType: "complete", big: 1n }) as never },
    { onError },
  );
  const server = createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const headers = {
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "add",
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(callOf()) });
  expect(await answer.json()).toMatchObject({ error: { code: -32603 } });
  expect(onError).toHaveBeenCalledOnce();
  server.closeAllConnections();
  server.close();
});
