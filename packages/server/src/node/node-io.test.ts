// What is particular to node:http: addresses of connections, and frameworks that share the response.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { createAuthenticator } from "../auth/authenticator.ts";
import { holdDispatch } from "../testing/held-dispatch.ts";
import { callOf } from "../testing/messages.ts";
import { createNodeHandler } from "./node-handler.ts";

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
