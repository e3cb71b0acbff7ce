// What a caller sees of a policy: lists without what is denied, and denials that look like absence.
import {
  type Caller,
  type Dispatch,
  type ModernRequest,
  metaKey,
  type Result,
  toResultText,
  withReadyText,
} from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import type { PolicyRule } from "../../config/schema/settings.ts";
import { createGuard, type Locate } from "./guard.ts";
import { createPolicy } from "./policy.ts";

const tools = withReadyText<Result>({
  resultType: "complete",
  ttlMs: 1_000,
  cacheScope: "public",
  tools: [{ name: "gh__read" }, { name: "gh__write" }, { name: "fs__read" }],
});

/** `gh__read` is `read` of gh; a memo may belong to either. */
const locate: Locate = (kind, name) => {
  if (kind === "resource" || kind === "template") return ["gh", "fs"].map((upstream) => ({ upstream, name }));
  const [upstream, own] = name.split("__");
  return upstream && own ? [{ upstream, name: own }] : [];
};

function requestOf(method: string, params: object = {}): ModernRequest {
  const _meta = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };
  return { id: 1, method, params: { ...params, _meta } } as ModernRequest;
}

function setUp(rules: PolicyRule[], result: Result = { resultType: "complete" }, upstream?: string) {
  const next = vi.fn<Dispatch>(async () => result);
  const guard = createGuard({
    policy: createPolicy(rules),
    locateFor: () => locate,
    ...(upstream !== undefined && { upstream }),
  });
  const dispatch = guard(next);
  const ask = (method: string, params: object = {}, caller: Caller | undefined = { id: "key ci", scopes: [] }) =>
    dispatch(requestOf(method, params), { caller } as Parameters<Dispatch>[1]);
  return { next, ask };
}

const readers: PolicyRule[] = [{ effect: "allow", tools: ["read"] }];

describe("policy of lists", () => {
  it("lists only items that the caller may use and marks the list as private (J-59)", async () => {
    const { ask } = setUp(readers, tools);
    expect(await ask("tools/list")).toEqual({
      resultType: "complete",
      ttlMs: 1_000,
      cacheScope: "private",
      tools: [{ name: "gh__read" }, { name: "fs__read" }],
    });
  });

  it.each(["server/discover", "tools/list"])(
    "%s names missing upstreams only to callers who may use them",
    async (name) => {
      const rules: PolicyRule[] = [{ effect: "allow", callers: ["key ci"], upstreams: ["gh"] }];
      const list = { ...tools, _meta: { "lethe/missing": ["gh", "secret"], other: 1 } };
      const { ask } = setUp(rules, withReadyText<Result>(list));
      const own = await ask(name);
      expect(own._meta).toEqual({ "lethe/missing": ["gh"], other: 1 });
      expect(JSON.parse(toResultText(own))).toEqual(own);
      expect((await ask(name, {}, { id: "key other" }))._meta).toEqual({ other: 1 });
    },
  );

  it("filters a list once for callers with the same permissions", async () => {
    const { ask } = setUp(readers, tools);
    const other = { id: "key other", scopes: [] };
    expect(await ask("tools/list")).toBe(await ask("tools/list", {}, other));
  });

  it("filters lists separately for callers with different permissions", async () => {
    const rules: PolicyRule[] = [{ effect: "allow", callers: ["key ci"], upstreams: ["gh"] }];
    const { ask } = setUp(rules, tools);
    expect((await ask("tools/list")).tools).toHaveLength(2);
    expect((await ask("tools/list", {}, { id: "key other" })).tools).toEqual([]);
  });

  it.each([
    ["prompts/list", "prompts", { prompts: [{ name: "gh__a" }, { name: "fs__a" }] }, { prompts: ["a"] }],
    ["resources/list", "resources", { resources: [{ uri: "memo:1" }, { uri: "memo:2" }] }, { resources: ["memo:1"] }],
    [
      "resources/templates/list",
      "resourceTemplates",
      { resourceTemplates: [{ uriTemplate: "memo:{id}" }, { uriTemplate: "x:{id}" }] },
      { resources: ["memo:*"] },
    ],
  ])("%s contains only items that the caller may use", async (method, member, items, names) => {
    const rules: PolicyRule[] = [{ effect: "allow", upstreams: ["gh"], ...names }];
    const { ask } = setUp(rules, { resultType: "complete", ...items });
    expect((await ask(method))[member]).toHaveLength(1);
  });

  it("distinguishes list items of the same name by their order", async () => {
    const twice = [{ uri: "memo:1" }, { uri: "memo:1", title: "of fs" }];
    const { ask } = setUp([{ effect: "allow", upstreams: ["fs"] }], { resultType: "complete", resources: twice });
    expect((await ask("resources/list")).resources).toEqual([{ uri: "memo:1", title: "of fs" }]);
  });

  it("omits items that more scopes would allow", async () => {
    const { ask } = setUp([{ effect: "allow", scopes: ["admin"] }], tools);
    expect((await ask("tools/list")).tools).toEqual([]);
  });
});

describe("policy of requests", () => {
  it.each([
    ["tools/call", { name: "gh__write" }, { code: -32602, message: "unknown tool: gh__write" }],
    ["prompts/get", { name: "gh__write" }, { code: -32602, message: "unknown prompt: gh__write" }],
    ["resources/read", { uri: "memo:1" }, { code: -32602, message: "resource not found", data: { uri: "memo:1" } }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "gh__write" } },
      { message: "unknown prompt: gh__write" },
    ],
    ["completion/complete", { ref: { type: "ref/resource", uri: "memo:1" } }, { message: "resource not found" }],
    ["some/method", {}, { code: -32601 }],
  ])("%s of a denied item gets the same error as an unknown item (J-45)", async (method, params, expected) => {
    const { ask, next } = setUp(readers);
    await expect(ask(method, params)).rejects.toMatchObject(expected);
    expect(next).not.toHaveBeenCalled();
  });

  it("passes task requests, because only the dispatch reads owner and tool from the task id (F-25)", async () => {
    const { ask, next } = setUp(readers);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) await ask(method, { taskId: "t" });
    expect(next).toHaveBeenCalledTimes(3);
  });

  it("passes an allowed request unchanged", async () => {
    const { ask, next } = setUp(readers);
    await ask("tools/call", { name: "gh__read" });
    expect(next.mock.calls[0]?.[0]).toEqual(requestOf("tools/call", { name: "gh__read" }));
  });

  it("passes a request for an unknown name to the dispatch", async () => {
    const { ask, next } = setUp(readers);
    await ask("tools/call", { name: "nothing" });
    expect(next).toHaveBeenCalledOnce();
  });

  it("names the missing scopes if more scopes would allow the request (G-4)", async () => {
    const { ask } = setUp([{ effect: "allow", scopes: ["admin"] }]);
    await expect(ask("tools/call", { name: "gh__write" })).rejects.toMatchObject({
      code: 403,
      data: { requiredScopes: ["admin"] },
    });
  });

  it("passes resources/read of a URI that one of several upstreams may serve", async () => {
    const { ask } = setUp([{ effect: "allow", upstreams: ["fs"], resources: ["memo:*"] }]);
    await ask("resources/read", { uri: "memo:1" });
  });

  it("rejects requests other than resources/read that may reach a denied upstream", async () => {
    const { ask } = setUp([{ effect: "allow", upstreams: ["fs"], resources: ["memo:*"] }]);
    const ref = { type: "ref/resource", uri: "memo:{id}" };
    await expect(ask("completion/complete", { ref })).rejects.toMatchObject({ message: "resource not found" });
  });

  it.each(["server/discover", "subscriptions/listen"])("%s is open to every caller", async (method) => {
    const { ask, next } = setUp([]);
    await ask(method, { notifications: {} });
    expect(next).toHaveBeenCalledOnce();
  });

  it("allows a method that the core does not define only by a rule that names methods", async () => {
    await expect(setUp([{ effect: "allow" }], undefined, "gh").ask("x/y")).rejects.toMatchObject({ code: -32601 });
    await setUp([{ effect: "allow", methods: ["x/*"] }], undefined, "gh").ask("x/y");
    const refused: PolicyRule[] = [
      { effect: "deny", upstreams: ["gh"] },
      { effect: "allow", methods: ["*"] },
    ];
    await expect(setUp(refused, undefined, "gh").ask("x/y")).rejects.toMatchObject({ code: -32601 });
  });

  it("decides a method without a name by the upstream of its endpoint", async () => {
    const rules: PolicyRule[] = [{ effect: "allow", upstreams: ["gh"], methods: ["x/*"] }];
    await setUp(rules, undefined, "gh").ask("x/y");
    await expect(setUp(rules, undefined, "fs").ask("x/y")).rejects.toMatchObject({ code: -32601 });
    await expect(setUp(rules).ask("x/y")).rejects.toMatchObject({ code: -32601 });
  });

  it("allows a subscription to a shared URI only if all its upstreams are allowed", async () => {
    const { ask, next } = setUp([{ effect: "allow", upstreams: ["fs"] }]);
    await ask("subscriptions/listen", { notifications: { resourceSubscriptions: ["memo:1"] } });
    expect(next.mock.calls[0]?.[0].params.notifications).toEqual({ resourceSubscriptions: [] });
  });

  it("reduces a subscription to resources that the caller may read", async () => {
    const { ask, next } = setUp([{ effect: "allow", resources: ["memo:1"] }]);
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["memo:1", "memo:2"] };
    await ask("subscriptions/listen", { notifications });
    expect(next.mock.calls[0]?.[0].params.notifications).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ["memo:1"],
    });
  });
});
