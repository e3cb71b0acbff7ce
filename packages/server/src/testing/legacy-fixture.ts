// A server for the tests of the legacy edge, with tools that request input, notify, wait and fail.
import type { CreateMessageParams, Dispatch } from "@lethe/protocol";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createServer } from "../create-server.ts";
import type { Server } from "../server.ts";
import type { ServerOptions } from "../server-options.ts";

export interface Fixture {
  readonly server: Server;
  /** Ends the calls of the tool "wait". */
  release(): void;
  /** The number of calls of "wait" that were aborted. */
  readonly aborted: number;
}

/** Avoids the warning about keys that exist only in this process. */
const fixtureKeys = `fixture:${"A".repeat(43)}`;
const messages: CreateMessageParams["messages"] = [{ role: "user", content: { type: "text", text: "2 + 2?" } }];

export function createFixture(options: ServerOptions = {}): Fixture {
  let aborted = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createServer({ name: "fixture", version: "1" }, { onError() {}, keys: fixtureKeys, ...options });
  server.tool("greet", { inputSchema: z.object({ name: z.string() }), handler: ({ name }) => `hello ${name}` });
  server.tool("ask", {
    async handler(_args, ctx) {
      const { name } = await ctx.elicit("Who?", z.object({ name: z.string() }));
      const { age } = await ctx.elicit("How old?", z.object({ age: z.number() }));
      return `${name} is ${age}`;
    },
  });
  server.tool("visit", {
    async handler(_args, ctx) {
      await ctx.elicitUrl("Sign in", "https://example.com/in");
      await ctx.elicitUrl("Pay", "https://example.com/pay");
      return "thanks";
    },
  });
  server.tool("think", { handler: async (_args, ctx) => JSON.stringify(await ctx.sample({ messages, maxTokens: 1 })) });
  server.tool("progress", {
    async handler(_args, ctx) {
      ctx.progress(1, 2, "half");
      ctx.log("info", "working");
      ctx.log("debug", "details");
      return "done";
    },
  });
  server.tool("wait", {
    handler: (_args, ctx) =>
      new Promise<string>((resolve, reject) => {
        ctx.signal.addEventListener("abort", () => {
          aborted++;
          reject(ctx.signal.reason);
        });
        ctx.progress(1);
        void released.then(() => resolve("waited"));
      }),
  });
  server.tool("secret", { scopes: ["read"], handler: () => "42" });
  server.tool("fail", {
    handler() {
      throw new Error("secret");
    },
  });
  server.resource("test://a", { name: "a", handler: () => "text of a" });
  server.use((next) => withDisconnect(next));
  onTestFinished(() => server.close());
  return {
    server,
    release: () => release(),
    get aborted() {
      return aborted;
    },
  };
}

/** Closes the connection of a call before it starts, if its metadata requests that. */
function withDisconnect(next: Dispatch): Dispatch {
  return (request, exchange) => {
    if (request.params._meta["test/disconnect"]) exchange.disconnect?.();
    return next(request, exchange);
  };
}
