// Notifications that an extension of a server sends during a request, as clients of every revision and transport receive them.
import type { ClientExtension } from "@lethe/client/extensions";
import { createServer, type Server } from "@lethe/server";
import type { ServerExtension } from "@lethe/server/extensions";
import { describe, expect, it, vi } from "vitest";
import { combinations } from "./combinations.ts";
import { testClient } from "./test-client.ts";

type Steps = { "com.example/steps.done": { step: string }; "notifications/com.example/steps.hook": { tool: string } };

const steps: ServerExtension<Steps> = {
  id: "com.example/steps",
  notifications: ["com.example/steps.done", "notifications/com.example/steps.hook"],
  methods: {
    "com.example/steps.run"(_request, ctx) {
      ctx.notify(steps, "com.example/steps.done", { step: "run" });
      return { resultType: "complete" };
    },
  },
  callTool(call, next) {
    call.notify("notifications/com.example/steps.hook", { tool: String(call.request.params.name) });
    return next();
  },
};

function createBakery(): Server {
  const server = createServer({ name: "bakery", version: "1.0.0" }).use(steps);
  server.tool("bake", {
    handler(_args, ctx) {
      for (const step of ["knead", "wait"]) ctx.notify(steps, "com.example/steps.done", { step });
      return "bread";
    },
  });
  return server;
}

function listenToSteps() {
  const heard: string[] = [];
  const extension: ClientExtension<unknown, Steps> = {
    id: "com.example/steps",
    notifications: {
      "com.example/steps.done": ({ step }) => heard.push(step),
      "notifications/com.example/steps.hook": ({ tool }) => heard.push(`hook of ${tool}`),
    },
  };
  return { heard, extension };
}

describe("a notification of an extension", () => {
  const { heard, extension } = listenToSteps();
  for (const { name, run, era, notifies } of combinations(createBakery, { extensions: [extension] })) {
    it(`reaches the client before the result, from hooks, tools and methods, in ${name}`, () =>
      run(async (client) => {
        heard.length = 0;
        await client.callTool("bake");
        // Without a session, a server does not know what a client of an older revision declares.
        expect(heard).toEqual(notifies ? ["hook of bake", "knead", "wait"] : []);
        if (era === "legacy") return;
        await client.request("com.example/steps.run", {});
        expect(heard.at(-1)).toBe("run");
      }));
  }

  it("is not sent to a client that does not declare the extension", async () => {
    const onNotification = vi.fn();
    const server = createBakery();
    const client = await testClient(server, {
      middleware: [
        (next) => (request, exchange) =>
          next(request, { ...exchange, signal: exchange.signal, notify: onNotification }),
      ],
    });
    await client.callTool("bake");
    expect(onNotification).not.toHaveBeenCalled();
    await client.close();
    await server.close();
  });

  it("is an error under a name that the extension does not list", async () => {
    const server = createServer({ name: "bakery", version: "1.0.0" }).use(steps);
    const messages: string[] = [];
    server.tool("bake", {
      handler(_args, ctx) {
        try {
          ctx.notify(steps, "com.example/steps.other" as never, {} as never);
        } catch (error) {
          messages.push((error as Error).message);
        }
        return "bread";
      },
    });
    const client = await testClient(server);
    await client.callTool("bake");
    expect(messages).toEqual([
      'extension "com.example/steps": its "notifications" must name com.example/steps.other; they name com.example/steps.done, notifications/com.example/steps.hook',
    ]);
    await client.close();
    await server.close();
  });

  it.each([
    [["notifications/tools/list_changed"], 'got "notifications/tools/list_changed"'],
    [["progress"], 'got "progress"'],
    [[1], "got 1"],
    [{}, "got an object"],
  ])("needs names of its own: %j", (notifications, message) => {
    const server = createServer({ name: "bakery", version: "1.0.0" });
    expect(() => server.use({ id: "com.example/steps", notifications: notifications as never })).toThrow(
      `extension "com.example/steps": option "notifications": names of its own expected, such as "com.example/reports.read", ${message}`,
    );
  });
});
