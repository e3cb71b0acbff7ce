import { TransportError } from "@lethe/client";
import { PendingCalls } from "@lethe/client/edge";
import {
  type Dispatch,
  errorCode,
  type HeaderReader,
  type JsonObject,
  type McpError,
  type ModernRequest,
  method,
  type Result,
  refusalOf,
  resourceNotFound,
  type ServerCapabilities,
  withTaskSupport,
} from "@lethe/protocol";
import { createSeal } from "@lethe/server/edge";
import { createKeyRing, createLocalDirectory } from "@lethe/server/stores";
import { describe, expect, it, vi } from "vitest";
import { CallForwarder } from "../../calls/call-forwarder.ts";
import { createRequestStateSeal } from "../../calls/request-state.ts";
import type { CatalogPart } from "../../catalog/catalog-part.ts";
import { mergeCatalogs } from "../../catalog/merge-catalogs.ts";
import type { UpstreamCatalog } from "../../catalog/read-catalog.ts";
import { uniteEras } from "../../catalog/unite-eras.ts";
import { createUriRule } from "../../catalog/uri-rule.ts";
import type { Exposure } from "../../config/schema/settings.ts";
import { catalogOf, partOf, rulesOf, toolOf } from "../../testing/catalogs.ts";
import { createFakeConnection, createFakeExchange, createFakeSessions, done, requestOf } from "../../testing/fakes.ts";
import { noCallTasks } from "../../testing/no-tasks.ts";
import { LegacyEra } from "../../upstreams/sessions/legacy-era.ts";
import { createEndpointDispatch, type EndpointOptions } from "./endpoint-dispatch.ts";

type Answer = (request: ModernRequest) => Result;

/** Modern upstreams with these catalogues; each answers as a test says. */
function setUp(
  parts: readonly CatalogPart[],
  answers: Record<string, Answer> = {},
  more: Partial<EndpointOptions> = {},
) {
  const catalog = mergeCatalogs(parts);
  const received: { upstream: string; request: ModernRequest }[] = [];
  const sessions = new Map(
    parts.map(({ catalog: { upstream } }) => {
      const dispatch: Dispatch = async (request) => {
        received.push({ upstream, request });
        return answers[upstream]?.(request) ?? done;
      };
      const connect = async () => createFakeConnection({ era: "modern", dispatch });
      return [upstream, createFakeSessions({ name: upstream, connect }).sessions] as const;
    }),
  );
  const { sessions: late } = createFakeSessions({ name: "up", connect: () => new Promise(() => {}) });
  sessions.set("up", late);
  const directory = createLocalDirectory();
  const seal = createRequestStateSeal(createSeal(createKeyRing(), { server: "g" }));
  const onListed = vi.fn();
  const dispatch = createEndpointDispatch({
    catalog: () => catalog,
    onListed,
    untilErasOpen: () => undefined,
    mayRead: (_caller, upstream) => upstream !== "forbidden",
    mayCall: (_caller, upstream) => upstream !== "forbidden",
    unreadOwnerOf: (tool) => (tool.startsWith("late") ? { upstream: tool.slice(4), name: "t" } : undefined),
    sessionsOf: (name) => sessions.get(name) as NonNullable<ReturnType<typeof sessions.get>>,
    forwarder: new CallForwarder({
      seal,
      directory,
      pendingCalls: new PendingCalls(),
      path: "/mcp",
      tasks: noCallTasks,
    }),
    answerTask: async () => ({ resultType: "complete", asked: true }),
    listen: async () => ({ resultType: "complete", heard: true }),
    ...more,
  });
  const send = (name: string, params: JsonObject = {}, headers?: HeaderReader) =>
    dispatch(requestOf(name, params), { ...createFakeExchange(), headers });
  return { send, received, onListed };
}

describe("dispatching methods of extensions", () => {
  const offering = (extensions: JsonObject) => ({
    discover: { ...catalogOf("a").discover, capabilities: { extensions } as ServerCapabilities },
  });
  const result = { resultType: "complete", did: true };

  it("sends a method that the core does not define to the upstream whose extension claims it, with unchanged params", async () => {
    const parts = [partOf("a", offering({ "x.y/z": {} })), partOf("b", offering({ "com.example/reports": {} }))];
    const { send, received } = setUp(parts, { a: () => result, b: () => result });
    expect(await send("x.y/z.do", { what: 1 })).toMatchObject(result);
    expect(await send("reports/list")).toMatchObject(result);
    expect(received.map(({ upstream, request }) => [upstream, request.method])).toEqual([
      ["a", "x.y/z.do"],
      ["b", "reports/list"],
    ]);
    expect(received[0]?.request.params.what).toBe(1);
  });

  it("rejects a method that several upstreams could serve, and one of the core's namespaces", async () => {
    const parts = [partOf("a", offering({ "x.y/z": {} })), partOf("b", offering({ "x.y/z": {} }))];
    const { send, received } = setUp(parts);
    const refused = { code: errorCode.methodNotFound };
    await expect(send("x.y/z.do")).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining("/mcp/a or /mcp/b"),
    });
    for (const name of ["tools/forget", "logging/setLevel", "tasks/list"]) {
      await expect(send(name)).rejects.toMatchObject(refused);
    }
    expect(received).toEqual([]);
  });

  it("answers -32601 if no upstream has an extension", async () => {
    const { send } = setUp([partOf("a")]);
    await expect(send("x.y/z.do")).rejects.toMatchObject({ code: errorCode.methodNotFound });
  });
});

describe("dispatching calls", () => {
  it("offers a tool that requires a task only to callers that support tasks (F-3)", async () => {
    const tools = [withTaskSupport(toolOf("t"), "required")];
    const { send, received } = setUp([partOf("a", { tools })]);
    const missing = { code: errorCode.missingClientCapability, data: { requiredCapabilities: { extensions: {} } } };
    await expect(send(method.callTool, { name: "a__t" })).rejects.toMatchObject(missing);
    expect(received).toEqual([]);
  });

  it("sends a call to the upstream of its tool or prompt, under the upstream's own name", async () => {
    const { send, received } = setUp([
      partOf("a", { tools: [toolOf("t")] }),
      partOf("b", { tools: [toolOf("t")], prompts: [{ name: "p" }] }),
    ]);
    await send(method.callTool, { name: "b__t", arguments: { x: 1 } });
    await send(method.getPrompt, { name: "b__p" });
    await send(method.complete, { ref: { type: "ref/prompt", name: "b__p" }, argument: { name: "x", value: "" } });
    expect(received.map(({ upstream }) => upstream)).toEqual(["b", "b", "b"]);
    expect(received.map(({ request }) => request.params)).toMatchObject([
      { name: "t", arguments: { x: 1 } },
      { name: "p" },
      { ref: { type: "ref/prompt", name: "p" } },
    ]);
  });

  it("rejects calls of unknown items and malformed params", async () => {
    const { send } = setUp([partOf("a", { tools: [toolOf("t")] })]);
    const refused = { code: errorCode.invalidParams };
    await expect(send(method.callTool, { name: "a__x" })).rejects.toMatchObject(refused);
    await expect(send(method.callTool, { name: 1 })).rejects.toMatchObject(refused);
    await expect(send(method.callTool, { name: "a__t", arguments: [] })).rejects.toMatchObject(refused);
    await expect(send(method.getPrompt, { name: "a__x" })).rejects.toMatchObject(refused);
    await expect(send(method.readResource, { uri: "x:/" })).rejects.toMatchObject(refused);
  });

  it("reports an unread upstream as unavailable instead of an unknown tool, but only to permitted callers", async () => {
    const { send } = setUp([partOf("a")]);
    await expect(send(method.callTool, { name: "lateup" })).rejects.toMatchObject({
      code: errorCode.internalError,
      data: { reason: "unavailable", upstream: "up", retryAfterMs: 2_000 },
    });
    await expect(send(method.callTool, { name: "lateforbidden" })).rejects.toMatchObject({
      code: errorCode.invalidParams,
      message: "unknown tool: lateforbidden",
    });
  });

  it("checks mirrored headers before it forwards a call (B-39)", async () => {
    const inputSchema = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };
    const { send, received } = setUp([partOf("a", { tools: [toolOf("t", { inputSchema })] })]);
    const call = { name: "a__t", arguments: { region: "eu" } };
    const headers = (value: string) => (name: string) =>
      name.toLowerCase() === "mcp-param-region" ? value : undefined;
    await expect(send(method.callTool, call, headers("us"))).rejects.toMatchObject({ code: errorCode.headerMismatch });
    expect(received).toEqual([]);
    await send(method.callTool, call, headers("eu"));
    expect(received).toHaveLength(1);
  });
});

describe("dispatching resource requests", () => {
  const listed = { resources: [{ uri: "x:/listed", name: "" }] };
  const made = { templates: [{ uriTemplate: "x:/made/{id}", name: "" }] };
  const only =
    (uri: string): Answer =>
    (request) => {
      if (request.params.uri !== uri) throw resourceNotFound(String(request.params.uri));
      return { resultType: "complete", contents: [{ uri, text: "here" }] };
    };

  it("reads a resource from the upstream that lists it, has a matching template or uses its scheme", async () => {
    const { send, received } = setUp([partOf("a", listed), partOf("b", made), partOf("c")]);
    const from = async (uri: string) => {
      received.length = 0;
      await send(method.readResource, { uri }).catch(() => {});
      return received.map(({ upstream }) => upstream);
    };
    expect(await from("x:/listed")).toEqual(["a"]);
    expect(await from("x:/made/1")).toEqual(["b"]);
    expect(await from("b+x:/linked")).toEqual(["b"]);
    expect(await from("c+x:/listed")).toEqual(["c"]);
    expect(await from("B+x:/linked")).toEqual(["b"]);
    expect(await from("x:/linked")).toEqual([]);
    expect(await from("y:/unknown")).toEqual([]);
  });

  it("reads shared resources under qualified URIs and rejects the plain URI with a list of these", async () => {
    const { send, received } = setUp([partOf("a", made), partOf("b", made)], { b: only("x:/made/1") });
    const uris = ["a+x:/made/1", "b+x:/made/1"];
    await expect(send(method.readResource, { uri: "x:/made/1" })).rejects.toMatchObject({
      code: errorCode.invalidParams,
      message: expect.stringContaining(uris.join(" or ")),
      data: { uri: "x:/made/1", candidates: uris },
    });
    expect(received).toEqual([]);
    await send(method.readResource, { uri: "b+x:/made/1" });
    expect(received.map(({ upstream, request }) => [upstream, request.params.uri])).toEqual([["b", "x:/made/1"]]);
    await expect(send(method.readResource, { uri: "b+x:/made/2" })).rejects.toMatchObject({
      code: errorCode.invalidParams,
      data: { uri: "b+x:/made/2" },
    });
  });

  it("rejects resources that the operator does not offer, in any spelling of their URI", async () => {
    const read = async (exposure: Exposure, uri: string) => {
      const rules = { resources: createUriRule(exposure) };
      const { send, received } = setUp([partOf("a", { ...listed, ...made }, rules)]);
      await send(method.readResource, { uri }).catch(() => {});
      return received.length > 0;
    };
    expect(await read({ deny: ["x:/secret*"] }, "x:/secret/1")).toBe(false);
    expect(await read({ deny: ["x:/made/1"] }, "x:/made/1")).toBe(false);
    expect(await read({ deny: ["x:/made/{id}"] }, "x:/made/1")).toBe(false);
    expect(await read({ deny: ["x:/made/s*"] }, "x:/made/../made/s")).toBe(false);
    expect(await read({ allow: ["x:/listed"] }, "x:/other")).toBe(false);
    expect(await read({ allow: ["x:/made/{id}"] }, "x:/made/1")).toBe(true);
    expect(await read({ deny: ["x:/secret*"] }, "x:/linked")).toBe(true);
  });

  it("does not ask a denied upstream for resources", async () => {
    const { send, received } = setUp([partOf("forbidden", made), partOf("b", made)]);
    await send(method.readResource, { uri: "x:/made/1" });
    expect(received.map(({ upstream }) => upstream)).toEqual(["b"]);
  });

  it("sends a completion to the upstream with exactly this template, not to one that merely matches", async () => {
    const { send, received } = setUp([
      partOf("a", { templates: [{ uriTemplate: "x:/made/{path}", name: "" }] }),
      partOf("b", made),
    ]);
    const argument = { name: "id", value: "" };
    await send(method.complete, { ref: { type: "ref/resource", uri: "x:/made/{id}" }, argument });
    await send(method.complete, { ref: { type: "ref/resource", uri: "a+x:/made/{path}" }, argument });
    expect(received.map(({ upstream }) => upstream)).toEqual(["b", "a"]);
    expect(received[1]?.request.params.ref).toEqual({ type: "ref/resource", uri: "x:/made/{path}" });
    await expect(
      send(method.complete, { ref: { type: "ref/resource", uri: "x:/made/1" }, argument }),
    ).rejects.toMatchObject({ code: errorCode.invalidParams, data: { candidates: ["a+x:/made/1", "b+x:/made/1"] } });
  });

  it("sends the retry of a resource request to the upstream that requested input", async () => {
    const asking: Answer = ({ params }) =>
      params.requestState === undefined
        ? { resultType: "input_required", requestState: "s" }
        : { resultType: "complete", contents: [] };
    const { send, received } = setUp([partOf("a", made), partOf("b", made)], { b: asking });
    const { requestState } = await send(method.readResource, { uri: "b+x:/made/1" });
    await send(method.readResource, { uri: "b+x:/made/1", requestState });
    expect(received.map(({ upstream, request }) => [upstream, request.params.uri])).toEqual([
      ["b", "x:/made/1"],
      ["b", "x:/made/1"],
    ]);
  });
});

describe("dispatching lists", () => {
  it("answers lists from the catalogue and reports each use to it", async () => {
    const { send, received, onListed } = setUp([partOf("a", { tools: [toolOf("t")] })]);
    expect(await send(method.listTools)).toMatchObject({ tools: [{ name: "a__t" }] });
    expect(await send(method.discover)).toMatchObject({ supportedVersions: ["2026-07-28"] });
    expect([received, onListed.mock.calls.length]).toEqual([[], 2]);
  });

  it("answers every list in one page (E-45)", async () => {
    const { send } = setUp([partOf("a")]);
    await expect(send(method.listTools, { cursor: "" })).rejects.toMatchObject({ code: errorCode.invalidParams });
  });
});

describe("dispatching methods", () => {
  it("serves a method exactly if its capability is advertised (E-4)", async () => {
    const { send } = setUp([]);
    for (const name of [method.callTool, method.listTools, method.readResource, method.complete, "ping", "tasks/get"]) {
      await expect(send(name)).rejects.toMatchObject({ code: errorCode.methodNotFound });
    }
    expect(await send(method.listen)).toMatchObject({ heard: true });
  });

  describe("a completion of a server whose newer era does not declare completions", () => {
    const argument = { name: "x", value: "" };
    const ofPrompt = { ref: { type: "ref/prompt", name: "up__p" }, argument };
    const ofTemplate = { ref: { type: "ref/resource", uri: "x:/made/{id}" }, argument };

    /** A server `up` whose newer era does not declare completions. `older` has the capabilities of its older era. */
    async function setUpEras(older: ServerCapabilities, ...others: CatalogPart[]) {
      const items = { prompts: [{ name: "p" }], templates: [{ uriTemplate: "x:/made/{id}", name: "" }] };
      const offering = (capabilities: ServerCapabilities): UpstreamCatalog => {
        const catalog = catalogOf("up", items);
        return { ...catalog, discover: { ...catalog.discover, capabilities } };
      };
      let current = offering({ prompts: {}, resources: {} });
      const received: ModernRequest[] = [];
      const dispatch: Dispatch = async (request) => {
        received.push(request);
        return done;
      };
      const connect = vi.fn(async () => createFakeConnection({ dispatch }));
      const era: LegacyEra = new LegacyEra({
        create: () => createFakeSessions({ era: "legacy", newerEra: () => sessions, connect }).sessions,
        async read() {
          const united = uniteEras(current, offering(older));
          current = united.catalog;
          era.differences = united.differences;
        },
      });
      const modern = () => createFakeConnection({ era: "modern" });
      const { sessions } = createFakeSessions({ legacyEra: era }, modern);
      await sessions.start();
      const { send } = setUp(
        [],
        {},
        {
          catalog: () => mergeCatalogs([{ catalog: current, rules: rulesOf("up") }, ...others]),
          sessionsOf: () => sessions,
        },
      );
      return { send, received, connect };
    }

    it("opens the older era for a completion and sends it there", async () => {
      const { send, received } = await setUpEras({ prompts: {}, completions: {} });
      expect(await send(method.complete, ofPrompt)).toMatchObject(done);
      expect(await send(method.complete, ofTemplate)).toMatchObject(done);
      expect(received.map(({ params }) => params.ref)).toEqual([{ ...ofPrompt.ref, name: "p" }, ofTemplate.ref]);
    });

    it("opens the older era even if another server of the endpoint offers completion", async () => {
      const { send, received } = await setUpEras({ prompts: {}, completions: {} }, partOf("b"));
      expect(await send(method.complete, ofPrompt)).toMatchObject(done);
      expect(received).toHaveLength(1);
    });

    it("answers -32601 if neither era declares completions", async () => {
      const { send, received, connect } = await setUpEras({ prompts: {} });
      for (const params of [ofPrompt, ofTemplate]) {
        await expect(send(method.complete, params)).rejects.toMatchObject({ code: errorCode.methodNotFound });
      }
      expect([received, connect.mock.calls.length]).toEqual([[], 1]);
    });

    it("does not open the older era for a completion of an unknown or malformed target", async () => {
      const { send, connect } = await setUpEras({ prompts: {}, completions: {} });
      const refs = [{ ...ofPrompt.ref, name: "q" }, { ...ofTemplate.ref, uri: "y:/{id}" }, { type: "x" }, undefined];
      for (const ref of refs) {
        const params = ref ? { ref, argument } : {};
        await expect(send(method.complete, params)).rejects.toMatchObject({ code: errorCode.methodNotFound });
      }
      expect(connect).not.toHaveBeenCalled();
    });
  });
});

describe("an endpoint whose only upstream cannot be listed", () => {
  function setUpAbsent() {
    const { sessions } = createFakeSessions({ name: "up", connect: () => new Promise(() => {}) });
    void sessions.start().catch(() => {});
    return { ...setUp([], {}, { absent: () => sessions }), sessions };
  }

  it("answers server/discover with 503 and a retry time while its only upstream cannot be listed", async () => {
    const { send, sessions } = setUpAbsent();
    await new Promise((resolve) => setImmediate(resolve));
    const failed = await send(method.discover).catch((error: McpError) => error);
    expect(failed).toMatchObject({
      code: errorCode.internalError,
      message: 'upstream "up" is still starting',
      data: { reason: "unavailable", upstream: "up", retryAfterMs: 2_000 },
    });
    expect(refusalOf(failed as McpError)).toEqual({ status: 503, retryAfterMs: 2_000 });
    void sessions.close();
  });

  it("answers lists with the reason of the last failed start, without text of the server", async () => {
    const { sessions } = createFakeSessions({
      name: "up",
      connect: () => Promise.reject(new TransportError("unreachable", "cannot start /secret/path")),
    });
    await sessions.start().catch(() => {});
    const { send } = setUp([partOf("up", { tools: [toolOf("t")] })], {}, { absent: () => sessions });
    const failed = send(method.listTools);
    await expect(failed).rejects.toThrow('upstream "up" is not running: it cannot be started or reached');
    await expect(failed).rejects.toMatchObject({ data: { retryAfterMs: expect.any(Number) } });
    await sessions.close();
  });
});
