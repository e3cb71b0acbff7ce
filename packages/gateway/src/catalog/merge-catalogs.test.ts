import { taskSupportOf, tasksExtension, withTaskSupport } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { withSessionArgument } from "../calls/session-argument.ts";
import { catalogOf, partOf, toolOf } from "../testing/catalogs.ts";
import { createNameRule } from "./exposure.ts";
import { type Catalog, mergeCatalogs } from "./merge-catalogs.ts";
import { createUriRule } from "./uri-rule.ts";

describe("merged tools and prompts", () => {
  it("offers tools and prompts under prefixed names in configuration order, with routes to their upstreams (J-58)", () => {
    const catalog = mergeCatalogs([
      partOf("b", { tools: [toolOf("x"), toolOf("a")], prompts: [{ name: "p" }] }),
      partOf("a", { tools: [toolOf("x")] }),
    ]);
    expect(catalog.tools.map(({ name }) => name)).toEqual(["b__x", "b__a", "a__x"]);
    expect(catalog.toolRoutes.get("a__x")).toMatchObject({ upstream: "a", name: "x" });
    expect(catalog.promptRoutes.get("b__p")).toEqual({ upstream: "b", name: "p" });
  });

  it("keeps unprefixed names, and routes a name that two upstreams offer to neither", () => {
    const catalog = mergeCatalogs([
      partOf("a", { tools: [toolOf("x"), toolOf("y")], prompts: [{ name: "p" }] }, { prefix: "" }),
      partOf("b", { tools: [toolOf("x")], prompts: [{ name: "p" }] }, { prefix: "" }),
    ]);
    const names = catalog.tools.map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(/^x_[0-9a-f]{8}$/), "y", expect.stringMatching(/^x_[0-9a-f]{8}$/)]);
    expect(names.map((name) => catalog.toolRoutes.get(name)?.upstream)).toEqual(["a", "a", "b"]);
    expect([...catalog.toolRoutes.values()].map(({ name }) => name)).toEqual(["x", "y", "x"]);
    expect([catalog.toolRoutes.has("x"), catalog.sharedTools.has("x")]).toEqual([false, true]);
    expect([...catalog.promptRoutes].map(([, { upstream }]) => upstream)).toEqual(["a", "b"]);
    expect(catalog.problems.map(({ problem }) => problem)).toEqual(
      ["tool x of a", "tool x of b", "prompt p of a", "prompt p of b"].map((what) =>
        expect.stringMatching(`^${what} offered with a hash at the end of the name: other servers offer the same name`),
      ),
    );
  });

  it("leaves out two tools if an upstream uses the name that another one's shared tool is renamed to", () => {
    const bank = partOf("bank", { tools: [toolOf("pay")] }, { prefix: "" });
    const rival = (...names: string[]) => partOf("rival", { tools: names.map((name) => toolOf(name)) }, { prefix: "" });
    const shared = mergeCatalogs([rival("pay"), bank]).tools[1]?.name ?? "";
    const { tools, toolRoutes } = mergeCatalogs([rival("pay", shared), bank]);
    expect(toolRoutes.has(shared)).toBe(false);
    expect(tools).toHaveLength(1);
  });

  it("never gives an item a name with the prefix of another upstream", () => {
    const names = (...parts: [prefix: string, tool: string][]) => {
      const { toolRoutes } = mergeCatalogs(
        parts.map(([prefix, tool], index) => partOf(`u${index}`, { tools: [toolOf(tool)] }, { prefix })),
      );
      return new Map([...toolRoutes].map(([name, { upstream }]) => [upstream, name]));
    };
    const nested = names(["a", "b__c"], ["a__b", "c"]);
    expect(nested.get("u1")).toBe("a__b__c");
    expect(nested.get("u0")).toMatch(/^a__b_c_[0-9a-f]{8}$/);
    const bare = names(["", "bank__pay"], ["bank", "pay"]);
    expect(bare.get("u1")).toBe("bank__pay");
    expect(bare.get("u0")).toMatch(/^bank_pay_[0-9a-f]{8}$/);
    const underscores = names(["a", "_x"], ["a_", "x"]);
    expect(underscores.get("u1")).toBe("a___x");
    expect(underscores.get("u0")).toMatch(/^a__x_[0-9a-f]{8}$/);
    const illegal = names(["", "bank@@pay"], ["bank", "pay"]);
    expect(illegal.get("u0")).toMatch(/^bank_pay_[0-9a-f]{8}$/);
    expect(names(["a", "x__y"], ["b", "x"]).get("u0")).toBe("a__x__y");
  });

  it("reports any number of items with one name in one line", () => {
    const tools = Array.from({ length: 100_000 }, () => toolOf("same"));
    const { problems } = mergeCatalogs([partOf("a", { tools })]);
    expect(problems.map(({ problem }) => problem)).toEqual([
      "tool same and 99998 more of a left out: an earlier one has the name",
    ]);
  });

  it("prepares the tools of an upstream without a look at the names of all others", () => {
    const spies = [vi.spyOn(String.prototype, "startsWith"), vi.spyOn(String.prototype, "replace")];
    const stepsOf = (count: number) => {
      for (const spy of spies) spy.mockClear();
      mergeCatalogs(Array.from({ length: count }, (_, index) => partOf(`u${index}`, { tools: [toolOf("x")] })));
      return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    };
    try {
      expect(stepsOf(400)).toBeLessThan(3 * stepsOf(200));
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  it("keeps references to user interfaces within their own upstream", () => {
    const _meta = {
      ui: { resourceUri: "ui://bank/pay.html", visibility: ["app"] },
      "ui/resourceUri": "ui://bank/pay.html",
    };
    const [tool] = mergeCatalogs([partOf("bank", { tools: [toolOf("pay", { _meta })] })]).tools;
    const uri = "ui://bank+bank/pay.html";
    expect(tool?._meta).toEqual({ ui: { resourceUri: uri, visibility: ["app"] }, "ui/resourceUri": uri });
    expect(_meta.ui.resourceUri).toBe("ui://bank/pay.html");
    const alone = mergeCatalogs([partOf("bank", { tools: [toolOf("pay", { _meta })] })], { isMerged: false });
    expect(alone.tools[0]?._meta).toEqual(_meta);
  });

  it("applies the operator's allow and deny lists to tools and prompts", () => {
    const rule = createNameRule({ deny: ["drop*"], rename: { query: "ask" } });
    const catalog = mergeCatalogs([partOf("db", { tools: [toolOf("query"), toolOf("drop_all")] }, { tools: rule })]);
    expect(catalog.tools.map(({ name }) => name)).toEqual(["db__ask"]);
    expect(catalog.toolRoutes.get("db__ask")?.name).toBe("query");
  });

  it("leaves out and reports tools with an impossible schema (B-50)", () => {
    const broken = toolOf("t", {
      inputSchema: { type: "object", properties: { x: { type: "number", "x-mcp-header": "X" } } },
    });
    const catalog = mergeCatalogs([partOf("a", { tools: [broken], problems: ["a: no good"] })]);
    expect(catalog.tools).toEqual([]);
    expect(catalog.problems).toEqual([
      { upstream: "a", problem: "a: no good" },
      { upstream: "a", problem: expect.stringMatching("^tool t of a is left out: ") },
    ]);
  });

  it("marks tools that may run twice (E-71)", () => {
    const tools = [{ readOnlyHint: true }, { idempotentHint: true }, { readOnlyHint: false }, undefined].map(
      (annotations, index) => toolOf(`t${index}`, annotations && { annotations }),
    );
    const { toolRoutes } = mergeCatalogs([partOf("a", { tools })]);
    expect([...toolRoutes.values()].map(({ isIdempotent }) => isIdempotent)).toEqual([true, true, false, false]);
  });

  it("adds the session argument to tools where the gateway issues handles", () => {
    const own = toolOf("o", { inputSchema: { type: "object", properties: { gateway_session: {} } } });
    const { tools, toolRoutes } = mergeCatalogs([
      partOf("a", { tools: [toolOf("t"), own] }, { toOfferedTool: withSessionArgument }),
    ]);
    expect(tools[0]?.inputSchema.properties).toHaveProperty("gateway_session");
    expect([...toolRoutes.values()].map(({ isExtended }) => isExtended)).toEqual([true, false]);
  });
});

describe("merged resources", () => {
  it("offers resources that two upstreams list under URIs with the upstream, and reports each in one line", () => {
    const resources = ["x:/1", "x:/2"].map((uri) => ({ uri, name: uri }));
    const catalog = mergeCatalogs([
      partOf("a", { resources: [...resources, { uri: "x:/own", name: "" }] }),
      partOf("b", { resources }),
    ]);
    expect(catalog.resources.map(({ uri }) => uri)).toEqual(["a+x:/1", "a+x:/2", "x:/own", "b+x:/1", "b+x:/2"]);
    expect(catalog.problems.map(({ problem }) => problem)).toEqual([
      expect.stringMatching(
        "^resource x:/1 and 1 more of a offered under a URI that includes the server, such as a.x:/1",
      ),
      expect.stringMatching(
        "^resource x:/1 and 1 more of b offered under a URI that includes the server, such as b.x:/1",
      ),
    ]);
  });

  it("merges an upstream that lists the same URI very often in linear time", { timeout: 10_000 }, () => {
    const resources = Array.from({ length: 300_000 }, () => ({ uri: "x:/1", name: "" }));
    const catalog = mergeCatalogs([partOf("a", { resources }), partOf("b", { resources })]);
    expect(catalog.resources).toHaveLength(2);
    expect(catalog.problems).toHaveLength(2);
  });

  it("leaves out resources that the operator denies by URI or template", () => {
    const rule = createUriRule({ deny: ["x:/secret*", "y:*"] });
    const parts = partOf(
      "a",
      {
        resources: [
          { uri: "x:/1", name: "" },
          { uri: "x:/secret/1", name: "" },
        ],
        templates: [{ uriTemplate: "y:/{id}", name: "" }],
      },
      { resources: rule },
    );
    const { resources, templates, uris } = mergeCatalogs([parts]);
    expect([resources.map(({ uri }) => uri), templates, uris.ownersOf("y:/1")]).toEqual([["x:/1"], [], []]);
  });
});

describe("merged features and lifetimes", () => {
  it("gives the merged catalogue the shortest ttlMs and the most private scope of its parts (E-56)", () => {
    const long = { freshUntil: 2_000, cacheScope: "public" } as const;
    const short = { freshUntil: 1_000, cacheScope: "private" } as const;
    expect(mergeCatalogs([partOf("a", long), partOf("b", short)])).toMatchObject(short);
    expect(mergeCatalogs([partOf("a", long)])).toMatchObject(long);
    expect(mergeCatalogs([]).cacheScope).toBe("private");
  });

  it("merges the capabilities of all parts and their instructions by name (J-61)", () => {
    const { discover } = catalogOf("a");
    const offering = (capabilities: object, instructions?: string) => ({
      discover: { ...discover, capabilities, ...(instructions !== undefined && { instructions }) },
    });
    const { capabilities, instructions } = mergeCatalogs([
      partOf("a", offering({ tools: {}, extensions: { "x/y": {} } }, "Be kind.")),
      partOf("b", offering({ resources: { subscribe: true }, logging: {} })),
      partOf("c", offering({ completions: {} }, "Be quick.")),
    ]);
    expect(capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
      completions: {},
      extensions: { "x/y": {} },
    });
    expect(instructions).toBe("# a\n\nBe kind.\n\n# c\n\nBe quick.");
    expect(mergeCatalogs([partOf("a", offering({}, "Alone."))]).instructions).toBe("Alone.");
  });

  it("declares tasks if an upstream makes them or the gateway makes them for it (J-61)", () => {
    const tools = [toolOf("t")];
    const { discover } = catalogOf("a");
    const extensions = { [tasksExtension]: {} };
    const withTasks = { tools, discover: { ...discover, capabilities: { tools: {}, extensions } } };
    const supportOf = (catalog: Catalog) => catalog.tools.map(taskSupportOf);
    const relayed = mergeCatalogs([partOf("a", withTasks), partOf("b", { tools })]);
    expect(relayed.capabilities.extensions).toEqual(extensions);
    // A modern upstream does not say which of its tools are tasks.
    expect(supportOf(relayed)).toEqual(["optional", undefined]);
    const made = mergeCatalogs([
      partOf("a", withTasks, { makesTasks: true }),
      partOf("b", { tools }, { makesTasks: true }),
    ]);
    expect(made.capabilities.extensions).toEqual(extensions);
    expect(supportOf(made)).toEqual(["optional", "optional"]);
    const required = [withTaskSupport(toolOf("t"), "required")];
    const core = mergeCatalogs([partOf("a", { tools: required }, { makesTasks: true }), partOf("b", { tools })]);
    expect(core.capabilities.extensions).toEqual(extensions);
    expect(supportOf(core)).toEqual(["required", undefined]);
    expect(core.toolRoutes.get("a__t")?.taskSupport).toBe("required");
    const coreAlone = mergeCatalogs([partOf("a", { tools: required })]);
    expect(coreAlone.capabilities.extensions).toEqual(extensions);
    const lost = mergeCatalogs([partOf("a", withTasks, { relaysTasks: false }), partOf("b", { tools })]);
    expect(lost.capabilities).not.toHaveProperty("extensions");
  });
});
