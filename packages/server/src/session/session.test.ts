// State that lives from call to call, as handlers and callers see it.

import { setImmediate } from "node:timers/promises";
import { type InputRequiredResult, isInputRequired, type JsonObject, type Result } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Clock } from "../clock/clock.ts";
import { createServer } from "../create-server.ts";
import { ToolError } from "../features/tool-error.ts";
import type { Server, ServerOptions } from "../index.ts";
import { call, callTool } from "../testing/call.ts";
import { createMemorySessionStateStore } from "./memory-session-state-store.ts";
import { type SessionOptions, session } from "./session.ts";
import type { SessionStateStore } from "./session-state-store.ts";

const keys = `a:${Buffer.alloc(32, 1).toString("base64url")}`;
const capabilities = { elicitation: {} };
const schema = z.object({ items: z.array(z.string()) });
type CartOptions = Partial<SessionOptions<typeof schema>>;

/** A process that serves the cart. */
function shop(options: ServerOptions = {}, cartOptions: CartOptions = {}): Server {
  const cart = session("cart", { schema, initial: { items: [] }, ...cartOptions });
  const server = createServer({ name: "shop", version: "1" }, { keys, onError: () => {}, ...options });
  server.tool("add", {
    inputSchema: z.strictObject({ item: z.string() }),
    outputSchema: z.strictObject({ items: z.array(z.string()) }),
    sessions: [cart],
    handler: async ({ item }, ctx) => (await ctx.session(cart)).update(({ items }) => ({ items: [...items, item] })),
  });
  server.tool("replace", {
    inputSchema: z.object({ item: z.string() }),
    sessions: [cart],
    handler: async ({ item }, ctx) => (await ctx.session(cart)).set({ items: [item] }),
  });
  server.tool("show", {
    sessions: [cart],
    async handler(_, ctx) {
      const { value, isNew } = await ctx.session(cart);
      return { ...value, isNew };
    },
  });
  server.tool("confirm", {
    inputSchema: z.object({ item: z.string() }),
    sessions: [cart],
    async handler({ item }, ctx) {
      const opened = await ctx.session(cart);
      await opened.update(({ items }) => ({ items: [...items, item] }));
      await ctx.elicit("Add it?", z.object({ sure: z.boolean() }));
      return opened.value.items.join();
    },
  });
  server.tool("fail", {
    sessions: [cart],
    async handler(_, ctx) {
      await (await ctx.session(cart)).set({ items: ["lost"] });
      throw new ToolError("out of stock");
    },
  });
  server.tool("empty", { sessions: [cart], handler: async (_, ctx) => (await ctx.session(cart)).end() });
  return server;
}

const handleOf = (result: Result): string =>
  String(((result._meta as JsonObject)["lethe/session_handles"] as JsonObject).cart_handle);

const itemsOf = (result: Result): unknown => (result.structuredContent as JsonObject).items;

const textOf = ({ content }: Result): string => (content as { text: string }[]).map(({ text }) => text).join("\n");

const refused = "the cart_handle is invalid or has expired: call without it to begin a new cart";

/** The same behaviour with the state in the handle and with the state in a store that all processes share. */
describe.each(["without a store", "with a store"])("a session %s", (kind) => {
  const options: ServerOptions = kind === "with a store" ? { sessionStore: createMemorySessionStateStore() } : {};

  it("continues in another process by the handle of the last result", async () => {
    const first = await callTool(shop(options), "add", { item: "tea" });
    expect(first.structuredContent).toEqual({ items: ["tea"] });
    const second = await callTool(shop(options), "add", { item: "milk", cart_handle: handleOf(first) });
    expect(itemsOf(second)).toEqual(["tea", "milk"]);
    const shown = await callTool(shop(options), "show", { cart_handle: handleOf(second) });
    expect(shown.structuredContent).toEqual({ items: ["tea", "milk"], isNew: false });
  });

  it("begins anew without a handle, and a call that changes nothing returns no handle", async () => {
    await callTool(shop(options), "add", { item: "tea" });
    const shown = await callTool(shop(options), "show");
    expect(shown.structuredContent).toEqual({ items: [], isNew: true });
    expect(JSON.stringify(shown)).not.toContain("cart_handle");
  });

  it("tells the model in the result how to continue", async () => {
    const result = await callTool(shop(options), "add", { item: "tea" });
    expect(textOf(result)).toContain(`cart_handle: ${handleOf(result)}`);
    expect(textOf(result)).toContain("Pass cart_handle unchanged to later calls to continue.");
  });

  it("belongs to the caller that began it", async () => {
    const ann = { caller: { id: "ann" } };
    const server = shop(options);
    const handle = handleOf(await callTool(server, "add", { item: "tea" }, ann));
    const asBob = await callTool(server, "show", { cart_handle: handle }, { caller: { id: "bob" } });
    expect([asBob.isError, textOf(asBob)]).toEqual([true, refused]);
    const asNobody = await callTool(server, "show", { cart_handle: handle });
    expect([asNobody.isError, textOf(asNobody)]).toEqual([true, refused]);
    expect(itemsOf(await callTool(server, "show", { cart_handle: handle }, ann))).toEqual(["tea"]);
  });

  it("does not continue by a handle that the server did not make", async () => {
    const result = await callTool(shop(options), "show", { cart_handle: "cart-1" });
    expect([result.isError, textOf(result)]).toEqual([true, refused]);
  });

  it("is not changed by a call that fails", async () => {
    const server = shop(options);
    const handle = handleOf(await callTool(server, "add", { item: "tea" }));
    const failed = await callTool(server, "fail", { cart_handle: handle });
    expect(textOf(failed)).toBe("out of stock");
    expect(itemsOf(await callTool(server, "show", { cart_handle: handle }))).toEqual(["tea"]);
  });

  it("is changed once by a call that waits for input, when it has ended", async () => {
    const server = shop(options);
    const handle = handleOf(await callTool(server, "add", { item: "tea" }));
    const args = { item: "milk", cart_handle: handle };
    const asked = (await callTool(server, "confirm", args, { capabilities })) as InputRequiredResult;
    expect(isInputRequired(asked)).toBe(true);
    expect(itemsOf(await callTool(server, "show", { cart_handle: handle }))).toEqual(["tea"]);
    const confirmed = await confirm(server, args, asked);
    expect(textOf(confirmed)).toContain("tea,milk");
    expect(itemsOf(await callTool(server, "show", { cart_handle: handleOf(confirmed) }))).toEqual(["tea", "milk"]);
  });

  it("ends after its lifetime", async () => {
    let now = 1_000_000;
    const clock: Clock = { now: () => now, wallTime: () => now, after: () => () => {} };
    const stored = options.sessionStore && createMemorySessionStateStore({ clock });
    const server = shop({ clock, ...(stored && { sessionStore: stored }) }, { ttlMs: 1_000 });
    const handle = handleOf(await callTool(server, "add", { item: "tea" }));
    now += 999;
    expect(itemsOf(await callTool(server, "show", { cart_handle: handle }))).toEqual(["tea"]);
    now += 1;
    expect(textOf(await callTool(server, "show", { cart_handle: handle }))).toBe(refused);
  });

  it("of an earlier version of the server is refused if its state does not match the schema", async () => {
    const handle = handleOf(await callTool(shop(options), "add", { item: "tea" }));
    const other = createServer({ name: "shop", version: "2" }, { keys, ...options });
    const cart = session("cart", { schema: z.object({ lines: z.array(z.string()) }), initial: { lines: [] } });
    other.tool("show", { sessions: [cart], handler: async (_, ctx) => (await ctx.session(cart)).value });
    const result = await callTool(other, "show", { cart_handle: handle });
    expect([result.isError, textOf(result)]).toEqual([
      true,
      "the cart is of another version of this server: begin a new cart",
    ]);
  });

  it("holds at most maxBytes", async () => {
    const errors: unknown[] = [];
    const server = shop({ ...options, onError: (error) => errors.push(error) }, { maxBytes: 100 });
    const result = await callTool(server, "add", { item: "x".repeat(100) });
    expect(result.isError).toBe(true);
    expect(String(errors[0])).toContain('session "cart": at most 100 bytes of state expected, got 114');
  });
});

function confirm(server: Server, args: JsonObject, { inputRequests, requestState }: InputRequiredResult) {
  const [key = ""] = Object.keys(inputRequests ?? {});
  const inputResponses = { [key]: { action: "accept", content: { sure: true } } };
  return callTool(server, "confirm", args, { capabilities, params: { inputResponses, requestState } });
}

describe("the handle of a session", () => {
  it("is an optional argument of the tool that the author's schema does not see", async () => {
    const { tools } = (await call(shop(), "tools/list")) as Result & {
      tools: { name: string; inputSchema: JsonObject }[];
    };
    const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema;
    expect(schemaOf("add")).toMatchObject({
      properties: {
        item: { type: "string" },
        cart_handle: { type: "string", description: expect.stringContaining("Omit it") },
      },
      required: ["item"],
    });
    expect(Object.keys(schemaOf("show")?.properties ?? {})).toEqual(["cart_handle"]);
  });

  it("cannot have the name of an argument", () => {
    const cart = session("cart", { schema, initial: { items: [] } });
    const inputSchema = z.object({ cart_handle: z.string() });
    expect(() =>
      createServer({ name: "shop", version: "1" }).tool("t", { inputSchema, sessions: [cart], handler: () => {} }),
    ).toThrow('tool "t": inputSchema: the argument "cart_handle" is reserved for the handle of the session');
  });

  it("that contains the state leads to the state of its time", async () => {
    const server = shop();
    const old = handleOf(await callTool(server, "add", { item: "tea" }));
    await callTool(server, "add", { item: "milk", cart_handle: old });
    expect(itemsOf(await callTool(server, "show", { cart_handle: old }))).toEqual(["tea"]);
  });

  it("of a session in a store stays valid and leads to the newest state", async () => {
    const server = shop({ sessionStore: createMemorySessionStateStore() });
    const old = handleOf(await callTool(server, "add", { item: "tea" }));
    await callTool(server, "add", { item: "milk", cart_handle: old });
    expect(itemsOf(await callTool(server, "show", { cart_handle: old }))).toEqual(["tea", "milk"]);
  });
});

describe("concurrent calls of one session in a store", () => {
  it("lose no update", async () => {
    const { read, write, ...others } = createMemorySessionStateStore();
    // As behind a network: all calls have read the state when the first one writes.
    const sessionStore: SessionStateStore = {
      ...others,
      read: (key) => setImmediate().then(() => read(key)),
      write: (...written) => setImmediate().then(() => write(...written)),
    };
    const servers = [shop({ sessionStore }), shop({ sessionStore })];
    const handle = handleOf(await callTool(servers[0] as Server, "add", { item: "0" }));
    const items = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
    await Promise.all(
      items.map((item, index) => callTool(servers[index % 2] as Server, "add", { item, cart_handle: handle })),
    );
    const shown = itemsOf(await callTool(servers[0] as Server, "show", { cart_handle: handle })) as string[];
    expect([...shown].sort()).toEqual(["0", ...items].sort());
  });

  it("that replace the state fail for all but one", async () => {
    const sessionStore = createMemorySessionStateStore();
    const handle = handleOf(await callTool(shop({ sessionStore }), "add", { item: "tea" }));
    let readers = 0;
    let release: () => void = () => {};
    const bothRead = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = shop({
      sessionStore: {
        ...sessionStore,
        async read(key) {
          const found = await sessionStore.read(key);
          readers += 1;
          if (readers === 2) release();
          await bothRead;
          return found;
        },
      },
    });
    const results = await Promise.all(
      ["a", "b"].map((item) => callTool(server, "replace", { item, cart_handle: handle })),
    );
    expect(results.map(({ isError }) => isError === true).sort()).toEqual([false, true]);
    const failed = results.find(({ isError }) => isError) as Result;
    expect(textOf(failed)).toBe("another call has changed the cart meanwhile: call again");
  });

  it("a call that waited for input fails if another call has changed what it read", async () => {
    const server = shop({ sessionStore: createMemorySessionStateStore() });
    const handle = handleOf(await callTool(server, "add", { item: "tea" }));
    const args = { item: "milk", cart_handle: handle };
    const asked = (await callTool(server, "confirm", args, { capabilities })) as InputRequiredResult;
    await callTool(server, "add", { item: "sugar", cart_handle: handle });
    const failed = await confirm(server, args, asked);
    expect(textOf(failed)).toBe("another call has changed the cart meanwhile: call again");
  });

  it("an ended session cannot be continued", async () => {
    const server = shop({ sessionStore: createMemorySessionStateStore() });
    const handle = handleOf(await callTool(server, "add", { item: "tea" }));
    await callTool(server, "empty", { cart_handle: handle });
    expect(textOf(await callTool(server, "show", { cart_handle: handle }))).toBe(refused);
  });
});

describe("a session by caller", () => {
  it("needs no handle, and each caller has one", async () => {
    const server = shop({ sessionStore: createMemorySessionStateStore() }, { by: "caller" });
    const [ann, bob] = [{ caller: { id: "ann" } }, { caller: { id: "bob" } }];
    const result = await callTool(server, "add", { item: "tea" }, ann);
    expect(JSON.stringify(result)).not.toContain("handle");
    expect(itemsOf(await callTool(server, "show", {}, ann))).toEqual(["tea"]);
    expect(itemsOf(await callTool(server, "show", {}, bob))).toEqual([]);
  });

  it("needs a store and an authenticated caller", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    await callTool(shop({ onError }, { by: "caller" }), "show", {}, { caller: { id: "ann" } });
    await callTool(shop({ onError, sessionStore: createMemorySessionStateStore() }, { by: "caller" }), "show");
    expect(errors.map(String)).toEqual([
      'Error: session "cart" by caller: the server needs the option sessionStore',
      'Error: session "cart" by caller: the server needs the option auth',
    ]);
  });
});

describe("the declaration of a session", () => {
  it.each([
    ["a name with capitals", () => session("Cart", { schema, initial: { items: [] } }), "a name of 1 to 32"],
    ["a lifetime of 0", () => session("cart", { schema, initial: { items: [] }, ttlMs: 0 }), "ttlMs: a number above 0"],
    [
      "an unknown kind",
      () => session("cart", { schema, initial: { items: [] }, by: "user" as "caller" }),
      'by: "handle"',
    ],
  ])("rejects %s", (_what, declare, message) => {
    expect(declare).toThrow(message);
  });

  it("has to be listed by each tool that opens the session", async () => {
    const errors: unknown[] = [];
    const cart = session("cart", { schema, initial: { items: [] } });
    const server = createServer({ name: "shop", version: "1" }, { keys, onError: (error) => errors.push(error) });
    server.tool("show", { handler: async (_, ctx) => (await ctx.session(cart)).value });
    await callTool(server, "show");
    expect(String(errors[0])).toContain('lists it in its option "sessions"');
  });
});
