// The client examples against servers of this folder.
import { createMemoryAuthStore } from "@lethe/client/auth";
import { connect } from "@lethe/client/node";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { describe, expect, it } from "vitest";
import { startAuthorizationServer } from "../../packages/client/src/auth/testing/authorization-server.ts";
import { startProtectedServer } from "../../packages/client/src/auth/testing/protected-server.ts";
import { createTracker } from "../tracker/src/tracker.ts";
import { asProgram, asUser, listTools } from "./client-authorization.ts";
import { connectFor, toolNames } from "./client-cache.ts";
import { divide } from "./client-connect.ts";
import { resolveBug, resolveByHand } from "./client-interaction.ts";
import { watch } from "./client-subscriptions.ts";
import { calculator, halve } from "./client-types.ts";
import { server as counter } from "./subscriptions.ts";
import { server as tools } from "./tools.ts";

const tracker = () => createTracker({ keys: `k1:${Buffer.alloc(32, 1).toString("base64url")}`, audit: async () => {} });

describe("client-connect", () => {
  it("the client-connect example calls over HTTP and in the same process", async () => {
    const { url, close } = await serve(tools, { port: 0 });
    expect(await divide(url, 7, 2)).toBe("3, remainder 1");
    await close();
    expect(await divide(tools, 7, 2)).toBe("3, remainder 1");
  });

  it("the client-connect example distinguishes errors", async () => {
    expect(await divide(tools, 7, 0)).toBe("the tool says that it failed");
    expect(await divide(createServer({ name: "other", version: "1.0.0" }), 7, 2)).toMatch(/^the server refused: -32/);
    expect(await divide("http://127.0.0.1:1/mcp", 7, 2)).toBe("the server was not reached: unreachable");
  });
});

describe("client-types", () => {
  it("the client-types example calls with the types of the server", async () => {
    const { url, close } = await serve(calculator, { port: 0 });
    expect(await halve(url, 7)).toBe(3.5);
    await close();
  });
});

describe("client-interaction", () => {
  it("the client-interaction example answers input requests with handlers", async () => {
    expect(await resolveBug(tracker(), 1)).toMatchObject({ id: 1, resolution: "Fixed" });
  });

  it("the client-interaction example answers input requests by hand in each round", async () => {
    const answers = [{ resolution: "Duplicate" }, { duplicateOf: 2 }];
    expect(await resolveByHand(tracker(), 1, answers)).toMatchObject({ resolution: "Duplicate", duplicateOf: 2 });
  });
});

describe("client-cache", () => {
  it("the client-cache example sends one request while a list is fresh", async () => {
    let asked = 0;
    const server = createServer({ name: "cached", version: "1.0.0" }, { cache: { tools: { ttlMs: 60_000 } } })
      .tool("one", { handler: () => "1" })
      .use((next) => (request, exchange) => {
        if (request.method === "tools/list") asked += 1;
        return next(request, exchange);
      });
    const client = await connectFor("ada", server);
    expect(await toolNames(client)).toEqual(["one"]);
    expect(await toolNames(client)).toEqual(["one"]);
    expect(asked).toBe(1);
    await client.close();
  });
});

describe("client-subscriptions", () => {
  it("the client-subscriptions example receives each change", async () => {
    const client = await connect(counter);
    const heard: string[] = [];
    const subscription = await watch(client, "counter://value", (text) => heard.push(text));
    await client.callTool("increment");
    await expect.poll(() => heard.at(-1)).toBe("1");
    subscription.close();
    await client.close();
  });
});

describe("client-authorization", () => {
  it("the client-authorization example authorizes a user and a program", async () => {
    const authorizationServer = await startAuthorizationServer();
    const { url, close } = await startProtectedServer({ servers: [authorizationServer] });
    const client = { clientId: "id", clientSecret: "secret", issuer: authorizationServer.issuer };
    const open = (page: URL) => void fetch(page);
    expect(await listTools(url.href, asUser(url.href, createMemoryAuthStore(), open))).toEqual([]);
    expect(authorizationServer.authorizations).toHaveLength(1);
    expect(await listTools(url.href, asProgram(url.href, client))).toEqual([]);
    expect(authorizationServer.tokenRequests.at(-1)?.form.get("grant_type")).toBe("client_credentials");
    await close();
    await authorizationServer.close();
  });
});
