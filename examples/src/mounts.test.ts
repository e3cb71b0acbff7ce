// The examples that are routes of an application, each asked over the application.
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { app as expressApp } from "./express.ts";
import { app as fastifyApp } from "./fastify.ts";
import { app as honoApp } from "./hono.ts";
import { createWireClient, type Handle } from "./testing/wire-client.ts";

/** Redirects requests for one address to another. */
function forwardTo(origin: string): Handle {
  return (request) => fetch(new Request(origin + new URL(request.url).pathname, request));
}

async function greetingOver(handle: Handle): Promise<unknown> {
  const { result } = await createWireClient(handle).callTool("greet");
  return result?.content;
}

describe("mounts", () => {
  it("a server answers as a route of Express", async () => {
    const listening = expressApp.listen(0, "127.0.0.1");
    try {
      await new Promise((resolve) => listening.once("listening", resolve));
      const { port } = listening.address() as AddressInfo;
      const content = await greetingOver(forwardTo(`http://127.0.0.1:${port}`));
      expect(content).toMatchObject([{ text: "Hello from Express" }]);
    } finally {
      listening.close();
    }
  });

  it("a server answers as a route of Fastify", async () => {
    try {
      const content = await greetingOver(forwardTo(await fastifyApp.listen({ port: 0, host: "127.0.0.1" })));
      expect(content).toMatchObject([{ text: "Hello from Fastify" }]);
    } finally {
      await fastifyApp.close();
    }
  });

  it("a server answers as a route of Hono", async () => {
    const content = await greetingOver((request) => honoApp.request(request));
    expect(content).toMatchObject([{ text: "Hello from Hono" }]);
  });
});
