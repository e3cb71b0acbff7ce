// Mounting servers of this process: names, selection, visibility, versions, changes, input requests.

import type { ToolTypesOf } from "@lethe/protocol";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import { createServer } from "../create-server.ts";
import type { Server } from "../server.ts";
import { call, callTool } from "../testing/call.ts";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";

const info = { name: "main", version: "1.0.0" };
const key = `k:${"A".repeat(43)}`;
const name = { type: "object", properties: { name: { type: "string" }, region: { type: "string" } } } as const;

function createGreeter(): Server {
  return createServer({ name: "greeter", version: "1.0.0" })
    .tool("greet", { inputSchema: name, tags: ["public"], handler: (args) => `Hello, ${JSON.stringify(args)}!` })
    .tool("reset", { tags: ["admin"], handler: () => "reset" })
    .prompt("poem", {
      argsSchema: name,
      complete: { name: () => ["ann"] },
      handler: ({ name: of }) => `A poem of ${of}`,
    })
    .resource("greet://all", { handler: () => "all" })
    .resourceTemplate("greet://one/{id}", { handler: ({ id }) => id });
}

async function namesOf(server: Pick<Server, "dispatch">, options: Parameters<typeof call>[3] = {}): Promise<string[]> {
  const { tools } = await call(server, "tools/list", {}, options);
  return (tools as { name: string }[]).map((tool) => tool.name);
}

const textOf = (result: { [member: string]: unknown }) => (result.content as { text: string }[])[0]?.text;

describe("mount of a local server", () => {
  it("serves tools and prompts under the prefix, and resources and templates under their own URIs", async () => {
    const server = createServer(info).mount("hi", createGreeter());
    expect(await namesOf(server)).toEqual(["hi__greet", "hi__reset"]);
    expect(textOf(await callTool(server, "hi__greet", { name: "Ann" }))).toBe('Hello, {"name":"Ann"}!');
    await expect(callTool(server, "greet")).rejects.toMatchObject({ message: 'unknown tool: "greet"' });
    const prompt = await call(server, "prompts/get", { name: "hi__poem", arguments: { name: "Ann" } });
    expect(prompt.messages).toMatchObject([{ content: { text: "A poem of Ann" } }]);
    const ref = { type: "ref/prompt", name: "hi__poem" };
    const completed = await call(server, "completion/complete", { ref, argument: { name: "name", value: "" } });
    expect(completed.completion).toMatchObject({ values: ["ann"] });
    expect((await call(server, "resources/read", { uri: "greet://all" })).contents).toMatchObject([{ text: "all" }]);
    expect((await call(server, "resources/read", { uri: "greet://one/7" })).contents).toMatchObject([{ text: "7" }]);
  });

  it("accepts an empty prefix, and a mounted server that mounts another", async () => {
    const middle = createServer({ name: "middle", version: "1.0.0" }).mount("hi", createGreeter());
    const server = createServer(info)
      .tool("own", { handler: () => "own" })
      .mount("", middle)
      .mount("deep", createGreeter(), {
        include: { names: ["greet"] },
      });
    expect(await namesOf(server)).toEqual(["own", "hi__greet", "hi__reset", "deep__greet"]);
  });

  it("rejects names that collide, and then mounts nothing", async () => {
    const server = createServer(info).tool("reset", { handler: () => "own" });
    expect(() => server.mount("", createGreeter())).toThrow('mount "": tool "reset" is already registered');
    expect(await namesOf(server)).toEqual(["reset"]);
    server.mount("a", createGreeter());
    expect(() => server.mount("b", createGreeter())).toThrow('mount "b": resource "greet://all" is already registered');
  });

  it("rejects a server that would contain itself, and invalid prefixes", () => {
    const one = createServer({ name: "one", version: "1.0.0" });
    const two = createServer({ name: "two", version: "1.0.0" }).mount("one", one);
    const three = createServer({ name: "three", version: "1.0.0" }).mount("two", two);
    expect(() => one.mount("one", one)).toThrow('mount "one": "one" would contain itself');
    expect(() => one.mount("x", three)).toThrow('mount "x": "three" would contain itself');
    expect(() => one.mount("a b", createGreeter())).toThrow(
      'mount "a b": prefix: up to 64 of A-Z a-z 0-9 _ - expected',
    );
    expect(() => one.mount("a__b", createGreeter())).toThrow('"__" separates the prefix from the name');
  });

  it.each<[string, unknown, string]>([
    ["a URL", "https://h.example/mcp", "got a string; proxy(url) of @lethe/client stands for a remote server"],
    ["nothing", undefined, "got nothing"],
    ["null", null, "got null"],
    ["an object without dispatch", { connect() {} }, "got an object"],
  ])("rejects %s in place of a server", (_what, other, message) => {
    const expected = `mount "x": a server, a connection or the result of proxy or openapi expected, ${message}`;
    expect(() => createServer(info).mount("x", other as never)).toThrow(new Error(expected));
  });

  it("rejects a server in place of the prefix", () => {
    const message = "mount: a prefix expected as the first argument and a server as the second, got an object";
    expect(() => createServer(info).mount(createGreeter() as never, "x" as never)).toThrow(new Error(message));
  });

  it("rejects a server whose authentication would be bypassed", () => {
    const auth = { authenticate: () => Promise.resolve({ id: "ann" }) } as never;
    const inner = createServer({ name: "inner", version: "1.0.0" }, { auth });
    expect(() => createServer(info).mount("in", inner)).toThrow("the server authenticates its callers");
  });

  it("follows later changes of the mounted server and notifies subscribers", async () => {
    const greeter = createGreeter();
    const server = createServer(info).mount("hi", greeter);
    const exchange = new RecordingExchange();
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["greet://all"] };
    void server.dispatch(requestOf("subscriptions/listen", { notifications }), exchange);
    await vi.waitFor(() => expect(exchange.sent).toHaveLength(1));
    greeter.tool("wave", { handler: () => "wave" });
    greeter.removeTool("reset");
    greeter.resourceUpdated("greet://all");
    await vi.waitFor(() => expect(exchange.sent).toHaveLength(3));
    expect(exchange.sent.map(({ method }) => method).sort()).toEqual([
      "notifications/resources/updated",
      "notifications/subscriptions/acknowledged",
      "notifications/tools/list_changed",
    ]);
    expect(await namesOf(server)).toEqual(["hi__greet", "hi__wave"]);
    await server.close();
  });

  it("selects features by name and by tag; exclude wins", async () => {
    const server = createServer(info)
      .mount("a", createGreeter(), { include: { tags: ["public"], names: ["reset"] }, exclude: { tags: ["admin"] } })
      .mount("b", createGreeter(), { exclude: { names: ["greet", "poem", "greet://all", "greet://one/{id}"] } });
    expect(await namesOf(server)).toEqual(["a__greet", "b__reset"]);
    expect((await call(server, "server/discover")).capabilities).not.toHaveProperty("resources");
  });

  it("transforms list entries, hides features and fixes arguments", async () => {
    const server = createServer(info).mount("eu", createGreeter(), {
      transform(definition) {
        if (definition.kind === "prompt") return { ...definition, fixed: { name: "Bob" } };
        if (definition.kind !== "tool") return definition;
        if (definition.name === "reset") return undefined;
        return { ...definition, name: "welcome", description: "Greets.", fixed: { region: "eu", name: undefined } };
      },
    });
    const { tools } = await call(server, "tools/list");
    const inputSchema = { type: "object", properties: {} };
    expect(tools).toEqual([{ name: "eu__welcome", description: "Greets.", inputSchema }]);
    const answer = await callTool(server, "eu__welcome", { region: "us", name: "Ann" });
    expect(textOf(answer)).toBe('Hello, {"region":"eu"}!');
    const prompt = await call(server, "prompts/get", { name: "eu__poem" });
    expect(prompt.messages).toMatchObject([{ content: { text: "A poem of Bob" } }]);
    const rename = () =>
      createServer(info).mount("x", createGreeter(), {
        transform: (definition) => (definition.kind === "resource" ? { ...definition, uri: "b://c" } : definition),
      });
    expect(rename).toThrow('a transform cannot change the uri "greet://all"');
  });

  it("keeps a round of input bound to the mounted tool", async () => {
    const inner = createServer({ name: "inner", version: "1.0.0" }).tool("drop", {
      async handler(_, ctx) {
        const { sure } = await ctx.elicit("Sure?", { type: "object", properties: { sure: { type: "boolean" } } });
        return String(sure);
      },
    });
    const server = createServer(info, { keys: key }).mount("a", inner).mount("b", inner);
    const capabilities = { elicitation: { form: {} } };
    const asked = await callTool(server, "a__drop", {}, { capabilities });
    const [requestKey = ""] = Object.keys(asked.inputRequests as object);
    const inputResponses = { [requestKey]: { action: "accept", content: { sure: true } } };
    const params = { requestState: asked.requestState, inputResponses };
    const stray = callTool(server, "b__drop", {}, { capabilities, params });
    await expect(stray).rejects.toMatchObject({ message: "invalid or expired requestState" });
    expect(textOf(await callTool(server, "a__drop", {}, { capabilities, params }))).toBe("true");
  });

  it("runs the middleware of the mounted server, with state bound to the caller", async () => {
    const seen: unknown[] = [];
    const inner = createServer({ name: "inner", version: "1.0.0" }, { keys: key })
      .tool("drop", {
        task: "never",
        async handler(_, ctx) {
          ctx.progress(1);
          const { sure } = await ctx.elicit("Sure?", { type: "object", properties: { sure: { type: "boolean" } } });
          return `${sure} by ${ctx.caller?.id}`;
        },
      })
      .use((next) => (request, exchange) => {
        seen.push(request.params.name);
        return next(request, exchange);
      });
    const server = createServer(info, { keys: key }).mount("in", inner);
    expect(() => inner.use((next) => next)).toThrow("add its middleware before");
    const capabilities = { elicitation: { form: {} } };
    const exchange = new RecordingExchange({ id: "ann" });
    const asked = await callTool(server, "in__drop", {}, { capabilities, exchange, meta: { progressToken: "p" } });
    expect(exchange.sent).toMatchObject([{ params: { progressToken: "p", progress: 1 } }]);
    const [requestKey = ""] = Object.keys(asked.inputRequests as object);
    const inputResponses = { [requestKey]: { action: "accept", content: { sure: true } } };
    const params = { requestState: asked.requestState, inputResponses };
    const stray = callTool(server, "in__drop", {}, { capabilities, params, caller: { id: "bob" } });
    await expect(stray).rejects.toMatchObject({ message: "invalid or expired requestState" });
    const own = await callTool(server, "in__drop", {}, { capabilities, params, caller: { id: "ann" } });
    expect(textOf(own)).toBe("true by ann");
    expect(own._meta).toMatchObject({ "io.modelcontextprotocol/serverInfo": info });
    expect(seen).toEqual(["drop", "drop"]);
  });

  it("runs tasks of a mounted tool, with and without middleware, for their caller only", async () => {
    const makeInner = () =>
      createServer({ name: "inner", version: "1.0.0" }, { keys: key }).tool("long", {
        task: "always",
        handler: () => "done",
      });
    const server = createServer(info, { keys: key })
      .mount("plain", makeInner())
      .mount(
        "wrapped",
        makeInner().use((next) => next),
      );
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const ann = { capabilities, caller: { id: "ann" } };
    for (const tool of ["plain__long", "wrapped__long"]) {
      const { taskId } = await callTool(server, tool, {}, ann);
      await vi.waitFor(async () => {
        const task = await call(server, "tasks/get", { taskId }, ann);
        expect(task).toMatchObject({ taskId, status: "completed", result: { content: [{ text: "done" }] } });
      });
      const stranger = call(server, "tasks/get", { taskId }, { capabilities, caller: { id: "bob" } });
      await expect(stranger).rejects.toMatchObject({ message: "unknown task" });
    }
    await server.close();
  });

  it("knows the types of the mounted tools", () => {
    const inner = createServer({ name: "inner", version: "1.0.0" }).tool("add", {
      inputSchema: z.object({ a: z.number() }),
      handler: ({ a }) => a,
    });
    const server = createServer(info).mount("calc", inner);
    expectTypeOf<ToolTypesOf<typeof server>["calc__add"]["input"]>().toEqualTypeOf<{ a: number }>();
    expect(server.info).toBe(info);
  });
});

describe("visibility per caller", () => {
  const isRoot = (caller: { id: string } | undefined) => caller?.id === "root";

  it("hides a feature from lists and calls as if it did not exist, and makes its list private", async () => {
    const server = createServer(info)
      .tool("open", { handler: () => "open" })
      .tool("secret", { visible: isRoot, handler: () => "secret" });
    expect(await namesOf(server)).toEqual(["open"]);
    expect(await namesOf(server, { caller: { id: "root" } })).toEqual(["open", "secret"]);
    expect(await call(server, "tools/list")).toMatchObject({ cacheScope: "private" });
    await expect(callTool(server, "secret")).rejects.toMatchObject({ code: -32602, message: 'unknown tool: "secret"' });
    expect(textOf(await callTool(server, "secret", {}, { caller: { id: "root" } }))).toBe("secret");
    server.removeTool("secret");
    expect(await call(server, "tools/list")).toMatchObject({ cacheScope: "public" });
  });

  it("combines the rules of the mount, of the mounted server and of its features", async () => {
    const inner = createServer({ name: "inner", version: "1.0.0" }, { visible: (feature) => feature.name !== "never" })
      .tool("never", { handler: () => "" })
      .tool("odd", { visible: (caller) => caller?.id === "odd", handler: () => "" })
      .tool("any", { handler: () => "" });
    const server = createServer(info).mount("in", inner, { visible: (caller) => caller !== undefined });
    expect(await namesOf(server)).toEqual([]);
    expect(await namesOf(server, { caller: { id: "even" } })).toEqual(["in__any"]);
    expect(await namesOf(server, { caller: { id: "odd" } })).toEqual(["in__odd", "in__any"]);
  });

  it("serializes a list once for callers that see the same items", async () => {
    const server = createServer(info, { pageSize: 1 })
      .tool("a", { visible: isRoot, handler: () => "" })
      .tool("b", { handler: () => "" })
      .tool("c", { handler: () => "" });
    const page = (id: string, cursor?: unknown) => call(server, "tools/list", { cursor }, { caller: { id } });
    const first = await page("ann");
    expect(first.tools).toMatchObject([{ name: "b" }]);
    expect(await page("bob")).toBe(first);
    expect((await page("ann", first.nextCursor)).tools).toMatchObject([{ name: "c" }]);
    expect((await page("root")).tools).toMatchObject([{ name: "a" }]);
  });
});

describe("tool versions", () => {
  it("serves the latest version under the name and each version under a name of its own", async () => {
    const server = createServer(info);
    for (const version of ["1.9", "1.10", "1.2"]) server.tool("greet", { version, handler: () => version });
    expect(await namesOf(server)).toEqual(["greet.v1.9", "greet.v1.10", "greet", "greet.v1.2"]);
    expect(textOf(await callTool(server, "greet"))).toBe("1.10");
    expect(textOf(await callTool(server, "greet.v1.9"))).toBe("1.9");
    expect(server.removeTool("greet.v1.10")).toBe(true);
    expect(textOf(await callTool(server, "greet"))).toBe("1.9");
    expect(server.removeTool("greet.v1.2")).toBe(true);
    expect(await namesOf(server)).toEqual(["greet"]);
    expect(server.removeTool("greet")).toBe(true);
    expect(await namesOf(server)).toEqual([]);
  });

  it("rejects a second tool of the same name without another version", () => {
    const server = createServer(info).tool("greet", { version: "1", handler: () => "" });
    const refused = 'tool "greet" is already registered';
    expect(() => server.tool("greet", { version: "1", handler: () => "" })).toThrow(refused);
    expect(() => server.tool("greet", { handler: () => "" })).toThrow(refused);
  });
});
