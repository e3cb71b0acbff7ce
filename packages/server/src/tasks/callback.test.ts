// Handlers that wait for a callback: a POST to a URL that they gave away, which any process may receive.
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Context } from "../features/context.ts";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { Server } from "../index.ts";
import { serve } from "../node/serve.ts";
import { createMemoryTaskStore } from "./memory-task-store.ts";
import type { TaskStore } from "./task-store.ts";
import { createJumpClock, type JumpClock } from "./testing/jump-clock.ts";
import { createTaskClient, type TaskClient } from "./testing/task-client.ts";
import { wrapStore } from "./testing/wrap-store.ts";

const keys = `k1:${"A".repeat(43)}`;
const callbackUrl = "https://mcp.example.com/callbacks";
const text = (value: string) => ({ status: "completed", result: { content: [{ text: value }] } });
const failure = (value: string) => ({ status: "completed", result: { isError: true, content: [{ text: value }] } });
const clients: TaskClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ server }) => server.close()));
});

interface Setup {
  readonly clock: JumpClock;
  readonly store: TaskStore;
  /** The URLs that handlers gave away. */
  readonly urls: string[];
  readonly errors: unknown[];
}

function setUp(): Setup {
  const clock = createJumpClock();
  return { clock, store: wrapStore(createMemoryTaskStore({ clock }), { isDurable: true }), urls: [], errors: [] };
}

interface Options {
  readonly mode?: TaskPolicy["mode"];
  readonly callbackUrl?: string | undefined;
}

/** One process on the store, with one tool. */
function processOn({ clock, store, errors }: Setup, run: (ctx: Context) => unknown, options: Options = {}): TaskClient {
  const { mode = "always" } = options;
  const define = (server: Server) => server.tool("work", { task: mode, handler: (_, ctx) => run(ctx) as string });
  const url = "callbackUrl" in options ? options.callbackUrl : callbackUrl;
  const client = createTaskClient(define, {
    onError: (error) => void errors.push(error),
    ...{ keys, clock, tasks: { closeGraceMs: 0, store } },
    ...(url !== undefined && { callbackUrl: url }),
  });
  clients.push(client);
  return client;
}

/** A handler that gives its URL away and waits for approval. */
function approval({ urls }: Setup, timeout: "2 days" | 0 = "2 days") {
  return async (ctx: Context): Promise<string> => {
    const callback = await ctx.callback({ schema: z.object({ approved: z.boolean() }), timeout });
    await ctx.once("send", () => void urls.push(callback.url));
    const { approved } = await callback.received();
    return approved ? "approved" : "rejected";
  };
}

async function untilAsleep({ store }: Setup): Promise<void> {
  await vi.waitFor(async () => {
    const { running, waiting, live } = await store.counts();
    expect({ running, waiting, live }).toEqual({ running: 0, waiting: 0, live: 1 });
  });
}

async function ended({ clock }: Setup, client: TaskClient, taskId: string) {
  await vi.waitFor(async () => {
    clock.jump(1_000);
    expect((await client.get(taskId)).status).not.toBe("working");
  });
  return client.get(taskId);
}

function post({ server }: TaskClient, url: string | undefined, body: unknown, init: RequestInit = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json" };
  return server.fetch(new Request(String(url), { method: "POST", headers, body: text, ...init }));
}

describe("a task that waits for a callback", () => {
  it("leaves its process, and continues with the body of the first POST to its URL", async () => {
    const setup = setUp();
    const client = processOn(setup, approval(setup));
    const taskId = await client.start("work");
    await untilAsleep(setup);
    expect(setup.urls).toEqual([expect.stringMatching(/^https:\/\/mcp\.example\.com\/callbacks\/[\w.-]{40,}$/)]);
    const response = await post(client, setup.urls[0], { approved: true });
    expect([response.status, await response.json()]).toEqual([200, { status: "completed" }]);
    expect(await ended(setup, client, taskId)).toMatchObject(text("approved"));
    expect(setup.urls).toHaveLength(1);
  });

  it("is continued by any process with the same keys, after its own has ended", async () => {
    const setup = setUp();
    const first = processOn(setup, approval(setup));
    const taskId = await first.start("work");
    await untilAsleep(setup);
    await first.server.close();
    const second = processOn(setup, approval(setup));
    expect((await post(second, setup.urls[0], { approved: false })).status).toBe(200);
    expect(await ended(setup, second, taskId)).toMatchObject(text("rejected"));
  });

  it("gets a body that arrived before it began to wait", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      const callback = await ctx.callback();
      await ctx.once("send", async () => {
        expect((await post(client, callback.url, "7")).status).toBe(200);
      });
      return `got ${await callback.received()}`;
    });
    expect(await ended(setup, client, await client.start("work"))).toMatchObject(text("got 7"));
  });

  it("fails with an error that says so when no callback arrives in time", async () => {
    const setup = setUp();
    const client = processOn(setup, approval(setup));
    const taskId = await client.start("work");
    await untilAsleep(setup);
    setup.clock.jump(2 * 86_400_000);
    expect(await ended(setup, client, taskId)).toMatchObject(failure("no callback arrived within 172800000 ms"));
    expect((await post(client, setup.urls[0], { approved: true })).status).toBe(410);
  });

  it("fails with an error that says so when the body violates what JSON Schema cannot express", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      const schema = z.object({ count: z.number().refine((count) => count % 2 === 0, "must be even") });
      const callback = await ctx.callback({ schema });
      await ctx.once("send", () => void setup.urls.push(callback.url));
      return String((await callback.received()).count);
    });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    expect((await post(client, setup.urls[0], { count: 3 })).status).toBe(200);
    const invalid = expect.stringMatching(/^the body of a callback is invalid: .*even/);
    expect(await ended(setup, client, taskId)).toMatchObject({
      result: { isError: true, content: [{ text: invalid }] },
    });
  });

  it("keeps the body once: in the journal, as soon as it waits again", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      const callback = await ctx.callback();
      await ctx.once("send", () => void setup.urls.push(callback.url));
      await callback.received();
      await ctx.sleep("1 day");
      return `got ${await callback.received()}`;
    });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    await post(client, setup.urls[0], '"first"');
    await vi.waitFor(async () => {
      setup.clock.jump(1_000);
      const { worker, rounds } = (await setup.store.read(taskId)) ?? {};
      expect({ worker, callbacks: rounds?.callbacks }).toEqual({
        worker: undefined,
        callbacks: { "callback 1": { end: "received" } },
      });
    });
    expect((await post(client, setup.urls[0], '"second"')).status).toBe(409);
    setup.clock.jump(86_400_000);
    expect(await ended(setup, client, taskId)).toMatchObject(text("got first"));
  });

  it("rejects a POST that comes after the time to wait for it, while the task runs on", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      const callback = await ctx.callback({ timeout: "1 hour" });
      await ctx.once("send", () => void setup.urls.push(callback.url));
      await callback.received().catch(() => undefined);
      await ctx.sleep("1 day");
      return "done";
    });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    setup.clock.jump(3_600_000);
    await vi.waitFor(async () => {
      setup.clock.jump(1_000);
      const { rounds } = (await setup.store.read(taskId)) ?? {};
      expect(rounds?.callbacks).toEqual({ "callback 1": { end: "timed out" } });
    });
    expect((await post(client, setup.urls[0], "{}")).status).toBe(410);
  });

  it("keeps two callbacks apart", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      const both = [await ctx.callback(), await ctx.callback()];
      await ctx.once("send", () => void setup.urls.push(...both.map(({ url }) => url)));
      return (await Promise.all(both.map((callback) => callback.received()))).join(" and ");
    });
    const taskId = await client.start("work");
    await untilAsleep(setup);
    await post(client, setup.urls[1], '"second"');
    await untilAsleep(setup);
    await post(client, setup.urls[0], '"first"');
    expect(await ended(setup, client, taskId)).toMatchObject(text("first and second"));
  });
});

describe("the URL of a callback", () => {
  it("answers each invalid request with its reason, and completes the callback once", async () => {
    const setup = setUp();
    const client = processOn(setup, approval(setup));
    const taskId = await client.start("work");
    await untilAsleep(setup);
    const [url] = setup.urls;
    const statusOf = async (...sent: Parameters<typeof post>) => (await post(...sent)).status;
    expect(await statusOf(client, url, "{")).toBe(400);
    expect(await statusOf(client, `${url}x`, "{}")).toBe(404);
    expect(await statusOf(client, `${callbackUrl}/`, "{}")).toBe(404);
    expect((await client.server.fetch(new Request(String(url)))).status).toBe(405);
    expect(
      await statusOf(client, url, "a=b", { headers: { "content-type": "application/x-www-form-urlencoded" } }),
    ).toBe(415);
    expect(await statusOf(client, url, `"${"x".repeat(65_536)}"`)).toBe(413);
    const both = await Promise.all([
      statusOf(client, url, { approved: true }),
      statusOf(client, url, { approved: false }),
    ]);
    // The task may have ended before the second one was read.
    expect(both).toEqual([200, expect.toBeOneOf([409, 410])]);
    expect(await ended(setup, client, taskId)).toMatchObject(text("approved"));
    expect(await statusOf(client, url, { approved: true })).toBe(410);
  });

  it("answers 400 to a body that violates the schema, and stays open, in every process", async () => {
    const setup = setUp();
    const client = processOn(setup, approval(setup));
    const taskId = await client.start("work");
    await untilAsleep(setup);
    const other = processOn(setup, approval(setup));
    const response = await post(other, setup.urls[0], { approved: "maybe" });
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/body is invalid.*approved/)]);
    expect((await client.get(taskId)).status).toBe("working");
    expect((await post(other, setup.urls[0], { approved: true })).status).toBe(200);
    expect(await ended(setup, client, taskId)).toMatchObject(text("approved"));
  });

  it("leads to no task of a server with other keys", async () => {
    const setup = setUp();
    const client = processOn(setup, approval(setup));
    await client.start("work");
    await untilAsleep(setup);
    const { store, clock } = setup;
    const tasks = { store };
    const stranger = createTaskClient((server) => server, { clock, callbackUrl, tasks, keys: `k1:${"B".repeat(42)}A` });
    clients.push(stranger);
    expect((await post(stranger, setup.urls[0], {})).status).toBe(404);
  });

  it("needs no caller on a server with authentication", async () => {
    const setup = setUp();
    const client = processOn(setup, approval(setup));
    const taskId = await client.start("work");
    await untilAsleep(setup);
    const authorizing = {
      ...client.server,
      authenticator: { authenticate: () => Promise.reject(new Error("no caller")) },
    };
    const { createFetchHandler } = await import("../http/fetch-handler.ts");
    const handler = createFetchHandler(authorizing as never);
    const headers = { "content-type": "application/json" };
    const response = await handler(
      new Request(String(setup.urls[0]), { method: "POST", headers, body: '{"approved":true}' }),
    );
    expect(response.status).toBe(200);
    expect(await ended(setup, client, taskId)).toMatchObject(text("approved"));
  });
});

it("serve answers the path of callbackUrl too", async () => {
  const setup = setUp();
  const client = processOn(setup, approval(setup));
  const taskId = await client.start("work");
  await untilAsleep(setup);
  const { url, close } = await serve(client.server, { port: 0 });
  const local = new URL(new URL(String(setup.urls[0])).pathname, url);
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"approved":true}' };
  expect(await (await fetch(local, init)).json()).toEqual({ status: "completed" });
  expect((await fetch(local)).status).toBe(405);
  expect(await ended(setup, client, taskId)).toMatchObject(text("approved"));
  await close();
});

describe("what a callback needs", () => {
  it("ctx.callback in a call that is no task rejects, and says how to make it one", async () => {
    const setup = setUp();
    const client = processOn(setup, approval(setup), { mode: "never" });
    expect(await client.call("work")).toMatchObject({ isError: true });
    expect(setup.errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('task: "auto" or "always"') }),
    ]);
  });

  it("ctx.callback on a server without callbackUrl rejects, and names the option", async () => {
    const setup = setUp();
    const client = processOn(setup, approval(setup), { callbackUrl: undefined });
    expect(await ended(setup, client, await client.start("work"))).toMatchObject({ result: { isError: true } });
    expect(setup.errors).toEqual([expect.objectContaining({ message: expect.stringContaining("option callbackUrl") })]);
  });

  it("ctx.callback rejects more callbacks than a task may have", async () => {
    const setup = setUp();
    const client = processOn(setup, async (ctx) => {
      for (let count = 0; count <= 32; count++) await ctx.callback();
    });
    expect(await ended(setup, client, await client.start("work"))).toMatchObject({ result: { isError: true } });
    expect(setup.errors).toEqual([
      expect.objectContaining({ message: "ctx.callback: a task has at most 32 callbacks" }),
    ]);
  });

  it("ctx.callback rejects a schema that is too long to be kept with the task", async () => {
    const setup = setUp();
    const schema = { type: "string", description: "x".repeat(16_384) };
    const client = processOn(setup, (ctx) => ctx.callback({ schema }));
    expect(await ended(setup, client, await client.start("work"))).toMatchObject({ result: { isError: true } });
    expect(setup.errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("a schema of at most 16384 bytes as JSON expected") }),
    ]);
  });

  it("createServer rejects a callbackUrl that is no URL", () => {
    expect(() => processOn(setUp(), () => "", { callbackUrl: "/callbacks" })).toThrow(
      'callbackUrl: a URL such as "https://mcp.example.com/callbacks" expected, got "/callbacks"',
    );
  });
});
