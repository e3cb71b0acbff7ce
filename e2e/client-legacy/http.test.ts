// Tests connect() with real legacy servers over HTTP, including era detection (D.3).
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type ServerProcess, spawnServer } from "@lethe/client/node";
import { afterEach, describe, expect, it } from "vitest";
import { referenceServer } from "./servers.ts";

const servers: ServerProcess[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startEverything(transport: "streamableHttp" | "sse", port: number): Promise<ServerProcess> {
  const target = { ...referenceServer("everything", transport), env: { PORT: String(port) } };
  const server = await new Promise<ServerProcess>((resolve, reject) => {
    const starting = spawnServer(target, {
      onStderr: (line) => line.includes(String(port)) && starting.then(resolve),
    });
    starting.catch(reject);
  });
  server.stdout.resume();
  servers.push(server);
  return server;
}

describe.each([
  ["streamableHttp", "/mcp"],
  ["sse", "/sse"],
] as const)("server-everything by %s", (transport, path) => {
  it("is detected, answers calls and elicits input", async () => {
    const port = await freePort();
    await startEverything(transport, port);
    const progress: number[] = [];
    const client = await connect(`http://127.0.0.1:${port}${path}`, {
      elicit: () => ({ action: "accept", content: { name: "Ann", check: true } }),
    });
    expect(client.connection.era).toBe("legacy");
    expect((await client.listTools()).map(({ name }) => name)).toContain("trigger-elicitation-request");
    const long = { duration: 0.2, steps: 2 };
    await client.callTool("trigger-long-running-operation", long, {
      onProgress: (step) => progress.push(step.progress),
    });
    expect(progress).toEqual([1, 2]);
    const { content } = await client.callTool("trigger-elicitation-request", {});
    expect(JSON.stringify(content)).toContain("Ann");
    await client.close();
  });
});

describe("the client of a restarted server-everything", () => {
  it("a client whose server-everything restarted gets a new session transparently", async () => {
    const port = await freePort();
    const first = await startEverything("streamableHttp", port);
    const client = await connect(`http://127.0.0.1:${port}/mcp`);
    await client.callTool("echo", { message: "1" });
    await first.stop();
    await startEverything("streamableHttp", port);
    expect(JSON.stringify(await client.callTool("echo", { message: "2" }))).toContain("Echo: 2");
    await client.close();
  });
});
