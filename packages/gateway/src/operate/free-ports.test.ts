import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { serveGateway } from "../app.ts";
import { parseSourceFile } from "../config/source-file.ts";
import { toConfig } from "../config/to-config.ts";
import { findPortProblem } from "./free-ports.ts";

const listening: Server[] = [];
afterEach(() => {
  for (const server of listening.splice(0)) server.close();
});

async function listen(onRequest = () => {}): Promise<number> {
  const server = createServer(onRequest).listen(0, "127.0.0.1");
  listening.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

it.each(["port", "admin.port"])("a %s in use ends the start before a server is reached", async (setting) => {
  let requests = 0;
  const busy = await listen();
  const upstream = await listen(() => {
    requests += 1;
  });
  const gateway = setting === "port" ? { port: busy } : { port: 0, admin: { port: busy } };
  const text = JSON.stringify({ mcpServers: { a: { url: `http://127.0.0.1:${upstream}/mcp` } }, gateway });
  const load = async () => toConfig([parseSourceFile("lethe.json", text)], { environment: {} });
  await expect(serveGateway({ load, watches: false })).rejects.toThrow(
    `cannot listen on port ${busy} of 127.0.0.1: the port is in use`,
  );
  expect(requests).toBe(0);
});

it("tells a port in use from one that cannot exist", async () => {
  const busy = await listen();
  expect(await findPortProblem(busy, "127.0.0.1")).toMatchObject({ isInUse: true });
  expect(await findPortProblem(70_000, "127.0.0.1")).toEqual({
    isInUse: false,
    text: expect.stringMatching(/^cannot listen on port 70000 of 127\.0\.0\.1: .*65536/),
  });
});
