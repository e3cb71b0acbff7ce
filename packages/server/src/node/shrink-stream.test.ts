// What an open subscription keeps of its request, and how its response begins.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { metaKey, method } from "@lethe/protocol";
import { expect, it } from "vitest";
import { createServer as createMcpServer } from "../create-server.ts";
import { createNodeEdge, toNodeHandler } from "./node-handler.ts";

const listen = {
  ...{ jsonrpc: "2.0", id: 1, method: method.listen },
  params: {
    notifications: { toolsListChanged: true },
    _meta: { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} },
  },
};

/** Opens one subscription. Returns the request as the server has it, and the first piece of the response. */
async function subscribe({ ownsServer }: { ownsServer: boolean }) {
  const mcp = createMcpServer({ name: "test", version: "1.0.0" }).tool("add", { handler: () => "" });
  const handler = toNodeHandler({ ...createNodeEdge(mcp, {}), ownsServer });
  const received: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    received.push(request);
    handler(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const body = JSON.stringify(listen);
  const head = [
    ...["POST / HTTP/1.1", "Host: localhost", "Content-Type: application/json", `Content-Length: ${body.length}`],
    ...["Accept: text/event-stream", "MCP-Protocol-Version: 2026-07-28", `Mcp-Method: ${method.listen}`],
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  const [piece] = await once(socket, "data");
  mcp.toolsChanged();
  const [next] = await once(socket, "data");
  socket.destroy();
  server.closeAllConnections();
  server.close();
  return { request: received[0], first: String(piece), next: String(next) };
}

it("an open subscription of a server that serves by itself keeps no raw headers, and its headers stay readable", async () => {
  const { request } = await subscribe({ ownsServer: true });
  expect(request?.rawHeaders).toEqual([]);
  expect(request?.headers).toMatchObject({ accept: "text/event-stream", "mcp-protocol-version": "2026-07-28" });
});

it("a handler inside of another server leaves the raw headers of an open subscription to that server", async () => {
  const { request } = await subscribe({ ownsServer: false });
  expect(request?.rawHeaders).toContain("MCP-Protocol-Version");
});

it.each([true, false])(
  "the head of a subscription and its first event arrive together, and changes follow (%s)",
  async (ownsServer) => {
    const { first, next } = await subscribe({ ownsServer });
    expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(first).toContain("notifications/subscriptions/acknowledged");
    expect(next).toContain("notifications/tools/list_changed");
  },
);
