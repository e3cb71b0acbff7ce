// Mounting a Dispatch: reading, failures, collisions, bounds, binding of states.
import { type Dispatch, type JsonObject, method, type Result } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { createServer } from "../create-server.ts";
import { call, callTool } from "../testing/call.ts";
import { requestOf } from "../testing/recording-exchange.ts";

const info = { name: "hub", version: "1.0.0" };

/** A dispatch that `mount` cannot recognise as a server of this process. */
function foreign(server: { dispatch: Dispatch }): Dispatch {
  return (request, exchange) => server.dispatch(request, exchange);
}

/** A server that answers from a table. */
function scripted(answers: { [method: string]: JsonObject }): Dispatch {
  const discover = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "public" };
  return async (request) =>
    ({
      resultType: "complete",
      ...(request.method === method.discover && discover),
      ...answers[request.method],
    }) as Result;
}

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

it("reads the lists when the first request comes, and once for all waiting requests", async () => {
  const inner = createServer({ name: "inner", version: "1.0.0" }).tool("a", { handler: () => "x" });
  const dispatch = vi.fn(foreign(inner));
  const server = createServer(info).mount("in", dispatch);
  expect(dispatch).not.toHaveBeenCalled();
  const results = await Promise.all([call(server, "tools/list"), call(server, "tools/list")]);
  for (const { tools } of results) expect(tools).toMatchObject([{ name: "in__a" }]);
  expect(dispatch.mock.calls.filter(([request]) => request.method === "tools/list")).toHaveLength(1);
  await server.close();
});

it("serves its own features while a mounted server is away, names that server in errors, and reports it once", async () => {
  const onProblem = vi.fn();
  const away = () => Promise.reject(new Error("connection refused"));
  const server = createServer(info)
    .tool("own", { handler: () => "x" })
    .mount("in", away, { onProblem });
  expect((await call(server, "tools/list")).tools).toMatchObject([{ name: "own" }]);
  const failed = { message: 'the mounted server "in" cannot be reached', refusalStatus: 503 };
  await expect(callTool(server, "in__a")).rejects.toMatchObject(failed);
  await expect(callTool(server, "other")).rejects.toMatchObject({ message: 'unknown tool: "other"' });
  expect(onProblem.mock.calls).toEqual([["its lists cannot be read: connection refused"]]);
});

it("waits no longer than the time limit for a server that does not answer", async () => {
  const onProblem = vi.fn();
  const silent = () => new Promise<Result>(() => {});
  const server = createServer(info)
    .tool("own", { handler: () => "x" })
    .mount("in", silent, { timeoutMs: 20, onProblem });
  expect((await call(server, "tools/list")).tools).toMatchObject([{ name: "own" }]);
  expect(onProblem.mock.calls).toEqual([["its lists cannot be read: no answer within 20 ms"]]);
});

it("reports colliding and invalid items and leaves them out", async () => {
  const onProblem = vi.fn();
  const tools = [tool("own"), tool("good"), { name: "bad name", inputSchema: {} }, { name: "none" }, 7, tool("good")];
  const server = createServer(info).tool("own", { handler: () => "x" });
  server.mount("", scripted({ [method.listTools]: { tools } }), { onProblem });
  expect((await call(server, "tools/list")).tools).toMatchObject([{ name: "own" }, { name: "good" }]);
  const problems = onProblem.mock.calls.flat();
  expect(problems).toContain('tool "own" is already registered');
  expect(problems).toContain('tool "none": an inputSchema expected');
  expect(problems).toContain('tool "bad name": name: 1 to 128 of A-Z a-z 0-9 _ - . expected');
});

it("cuts a list whose pages never end", async () => {
  const onProblem = vi.fn();
  const listTools = { tools: [], nextCursor: "more" };
  const server = createServer(info).mount("in", scripted({ [method.listTools]: listTools }), { onProblem });
  await call(server, "server/discover");
  expect(onProblem.mock.calls).toEqual([["its list of tools is cut after 0 items"]]);
});

it("rejects a selection by tags, which a foreign server does not have", () => {
  const mount = () => createServer(info).mount("in", scripted({}), { exclude: { tags: ["admin"] } });
  expect(mount).toThrow("select by names");
});

it("binds the state of a foreign server to the caller and the tool, and hides its identity", async () => {
  const seen: unknown[] = [];
  const dispatch: Dispatch = async (request, exchange) => {
    if (request.method !== method.callTool)
      return scripted({ [method.listTools]: { tools: [tool("a"), tool("b")] } })(request, exchange);
    seen.push(request.params.requestState);
    const _meta = { "io.modelcontextprotocol/serverInfo": { name: "inner", version: "1" } };
    if (request.params.requestState === "plain") return { resultType: "complete", content: [], _meta };
    return { resultType: "input_required", inputRequests: {}, requestState: "plain", _meta };
  };
  const server = createServer(info, { keys: `k:${"A".repeat(43)}` }).mount("in", dispatch);
  const ann = { caller: { id: "ann" } };
  const { requestState } = await callTool(server, "in__a", {}, ann);
  expect(requestState).not.toContain("plain");
  const params = { requestState, inputResponses: {} };
  const invalid = { message: "invalid or expired requestState" };
  await expect(callTool(server, "in__a", {}, { caller: { id: "bob" }, params })).rejects.toMatchObject(invalid);
  await expect(callTool(server, "in__b", {}, { ...ann, params })).rejects.toMatchObject(invalid);
  await expect(callTool(server, "in__a", { x: 1 }, { ...ann, params })).rejects.toMatchObject(invalid);
  await expect(callTool(server, "in__a", {}, { ...ann, params: { requestState: "plain" } })).rejects.toMatchObject(
    invalid,
  );
  const result = await callTool(server, "in__a", {}, { ...ann, params });
  expect(result._meta).toEqual({ "io.modelcontextprotocol/serverInfo": info });
  expect(seen).toEqual([undefined, "plain"]);
});

it("sends requests of different callers under different ids", async () => {
  const ids: unknown[] = [];
  const inner = createServer({ name: "inner", version: "1.0.0" }).tool("a", { handler: () => "x" });
  const server = createServer(info).mount("in", (request, exchange) => {
    ids.push(request.id);
    return inner.dispatch(request, exchange);
  });
  await Promise.all([callTool(server, "in__a"), callTool(server, "in__a")]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(requestOf("tools/call").id).toBe(1);
  await server.close();
});

it("closes what belongs to the mount with the server", async () => {
  const closeWithServer = vi.fn();
  const server = createServer(info).mount("in", { dispatch: scripted({}), closeWithServer });
  await server.close();
  expect(closeWithServer).toHaveBeenCalledOnce();
});
