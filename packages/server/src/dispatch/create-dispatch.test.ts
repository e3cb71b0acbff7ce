import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { McpError, type Middleware } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { createServer } from "../create-server.ts";
import { ToolError } from "../features/tool-error.ts";
import { call, callTool } from "../testing/call.ts";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";

const info = { name: "s", version: "1" };
const run = () => "x";
const complete = { resultType: "complete" };

describe("dispatch", () => {
  it("rejects an unknown log level (E-41)", async () => {
    const server = createServer(info).tool("a", { handler: run });
    const answer = callTool(server, "a", {}, { meta: { "io.modelcontextprotocol/logLevel": "loud" } });
    await expect(answer).rejects.toMatchObject({ code: -32602, message: 'unknown log level: "loud"' });
  });

  it("adds the server name to a copy of a frozen result (A-35)", async () => {
    const frozen = Object.freeze({ resultType: "complete" });
    const server = createServer(info).method("x/frozen", () => frozen);
    expect(await call(server, "x/frozen")).toEqual({
      ...complete,
      _meta: { "io.modelcontextprotocol/serverInfo": info },
    });
    expect(frozen).toEqual(complete);
  });

  it("runs middleware in the order it was added, and passes results back in reverse order", async () => {
    const seen: string[] = [];
    const trace =
      (name: string): Middleware =>
      (next) =>
      async (request, exchange) => {
        seen.push(`${name} ${request.method}`);
        const result = await next(request, exchange);
        seen.push(`${name} ${result.resultType}`);
        return { ...result, by: name };
      };
    const server = createServer(info).use(trace("a")).tool("t", { handler: run }).use(trace("b"));
    expect(await callTool(server, "t")).toMatchObject({ by: "a" });
    expect(seen).toEqual(["a tools/call", "b tools/call", "b complete", "a complete"]);
  });

  it("hides errors of middleware from the caller", async () => {
    const onError = vi.fn();
    const server = createServer(info, { onError }).use(() => () => Promise.reject(new Error("secret")));
    const answer = call(server, "server/discover");
    await expect(answer).rejects.toMatchObject({
      code: -32603,
      message: "internal error",
      data: { errorId: expect.any(String) },
    });
    expect(onError).toHaveBeenCalledOnce();
  });

  it("rejects when middleware throws synchronously or a method does not exist", async () => {
    const throwing = createServer(info, { onError: () => {} }).use(() => () => {
      throw new Error("secret");
    });
    await expect(call(throwing, "server/discover")).rejects.toMatchObject({ message: "internal error" });
    const seen = vi.fn();
    const server = createServer(info).use((next) => (request, exchange) => {
      const running = next(request, exchange);
      running.catch(seen);
      return running;
    });
    await expect(call(server, "nothing")).rejects.toMatchObject({ code: -32601 });
    expect(seen).toHaveBeenCalledOnce();
  });

  it("a subscription keeps no reference to its request", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const server = createServer(info).tool("t", { handler: run });
    const exchange = new RecordingExchange();
    const begin = (): WeakRef<object> => {
      const request = requestOf("subscriptions/listen", { notifications: { toolsListChanged: true } });
      void server.dispatch(request, exchange);
      return new WeakRef(request.params);
    };
    const params = begin();
    await vi.waitFor(() => expect(exchange.sent).toHaveLength(1));
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(params.deref()).toBeUndefined();
    await server.close();
  });

  it("returns the answer when the log fails", async () => {
    const toConsole = vi.spyOn(console, "error").mockImplementation(() => {});
    const onError = () => {
      throw new Error("disk full");
    };
    const server = createServer(info, { onError }).resource("a://b", {
      handler: () => Promise.reject(new Error("secret")),
    });
    await expect(call(server, "resources/read", { uri: "a://b" })).rejects.toMatchObject({ message: "internal error" });
    expect(toConsole).toHaveBeenCalledOnce();
    toConsole.mockRestore();
  });

  it("reports a ToolError outside of tools as an internal error with its message", async () => {
    const server = createServer(info).prompt("p", { handler: () => Promise.reject(new ToolError("not today")) });
    await expect(call(server, "prompts/get", { name: "p" })).rejects.toMatchObject({
      code: -32603,
      message: "not today",
    });
  });
});

describe("raw methods", () => {
  it("gives a raw method the request unchanged and sends its result unchanged", async () => {
    const server = createServer(info).method("x/y", (request, ctx) => ({
      resultType: "com.example/odd",
      got: request.params.a,
      who: ctx.caller?.id,
    }));
    expect(await call(server, "x/y", { a: [1] }, { caller: { id: "c" } })).toEqual({
      resultType: "com.example/odd",
      got: [1],
      who: "c",
      _meta: { "io.modelcontextprotocol/serverInfo": info },
    });
  });

  it("rejects a method of an extension that the client did not declare (A-27)", async () => {
    const server = createServer(info).method("x/y", () => complete, { extension: "com.example/x" });
    const discovered = await call(server, "server/discover");
    expect(discovered.capabilities).toMatchObject({ extensions: { "com.example/x": {} } });
    await expect(call(server, "x/y")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { "com.example/x": {} } } },
    });
    const capabilities = { extensions: { "com.example/x": {} } };
    expect(await call(server, "x/y", {}, { capabilities })).toMatchObject(complete);
  });

  it("lets an author replace a core method, which is served if its capability is advertised (E-4)", async () => {
    const list = () => ({ ...complete, tools: [], ttlMs: 0, cacheScope: "private" });
    await expect(call(createServer(info).method("tools/list", list), "tools/list")).rejects.toMatchObject({
      code: -32601,
    });
    const server = createServer(info, { capabilities: { tools: {} } }).method("tools/list", list);
    expect(await call(server, "tools/list")).toMatchObject({ ttlMs: 0 });
  });

  it("reports a result without resultType as an internal error", async () => {
    const onError = vi.fn();
    const server = createServer(info, { onError }).method("x/y", () => ({}) as never);
    await expect(call(server, "x/y")).rejects.toMatchObject({ code: -32603 });
    expect(onError.mock.calls[0]?.[0].message).toContain("must return an object with a resultType");
  });

  it("rejects input requests from methods other than the three that allow them (E-20)", async () => {
    const onError = vi.fn();
    const server = createServer(info, { onError }).method("x/y", async (_, ctx) => {
      await ctx.roots();
      return complete;
    });
    await expect(call(server, "x/y", {}, { capabilities: { roots: {} } })).rejects.toBeInstanceOf(McpError);
    expect(onError.mock.calls[0]?.[0].message).toBe("x/y cannot request input");
  });
});
