import { taskSupportOf, tasksExtension, withTaskSupport } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { withSessionArgument } from "../bridge/session-argument.ts";
import { catalogOf, partOf, toolOf } from "../testing/catalogs.ts";
import { createNameRule } from "./exposure.ts";
import { type Catalog, mergeCatalogs } from "./merge-catalogs.ts";
import { createUriRule } from "./uri-rule.ts";

describe("tools and prompts", () => {
  it("are offered under prefixed names, in the order of the configuration, with routes that lead back (J-58)", () => {
    const catalog = mergeCatalogs([
      partOf("b", { tools: [toolOf("x"), toolOf("a")], prompts: [{ name: "p" }] }),
      partOf("a", { tools: [toolOf("x")] }),
    ]);
    expect(catalog.tools.map(({ name }) => name)).toEqual(["b__x", "b__a", "a__x"]);
    expect(catalog.toolRoutes.get("a__x")).toMatchObject({ upstream: "a", name: "x" });
    expect(catalog.promptRoutes.get("b__p")).toEqual({ upstream: "b", name: "p" });
  });

  it("keep their own names without a prefix; one whose name is taken is left out and told of", () => {
    const catalog = mergeCatalogs([
      partOf("a", { tools: [toolOf("x")] }, { prefix: "" }),
      partOf("b", { tools: [toolOf("x")] }, { prefix: "" }),
    ]);
    expect(catalog.tools.map(({ name }) => name)).toEqual(["x"]);
    expect(catalog.toolRoutes.get("x")?.upstream).toBe("a");
    expect(catalog.problems).toEqual([{ upstream: "b", problem: "tool x of b is left out: x is x of a" }]);
  });

  it("are offered as the operator's lists say", () => {
    const rule = createNameRule({ deny: ["drop*"], rename: { query: "ask" } });
    const catalog = mergeCatalogs([partOf("db", { tools: [toolOf("query"), toolOf("drop_all")] }, { tools: rule })]);
    expect(catalog.tools.map(({ name }) => name)).toEqual(["db__ask"]);
    expect(catalog.toolRoutes.get("db__ask")?.name).toBe("query");
  });

  it("with a schema that cannot be are left out and told of (B-50)", () => {
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

  it("say whether they may run twice (E-71)", () => {
    const tools = [{ readOnlyHint: true }, { idempotentHint: true }, { readOnlyHint: false }, undefined].map(
      (annotations, index) => toolOf(`t${index}`, annotations && { annotations }),
    );
    const { toolRoutes } = mergeCatalogs([partOf("a", { tools })]);
    expect([...toolRoutes.values()].map(({ isIdempotent }) => isIdempotent)).toEqual([true, true, false, false]);
  });

  it("get the argument of the session where the gateway adds one", () => {
    const own = toolOf("o", { inputSchema: { type: "object", properties: { gateway_session: {} } } });
    const { tools, toolRoutes } = mergeCatalogs([
      partOf("a", { tools: [toolOf("t"), own] }, { toOfferedTool: withSessionArgument }),
    ]);
    expect(tools[0]?.inputSchema.properties).toHaveProperty("gateway_session");
    expect([...toolRoutes.values()].map(({ isExtended }) => isExtended)).toEqual([true, false]);
  });
});

describe("resources", () => {
  it("keep their URIs: the first that lists one has it", () => {
    const resources = [{ uri: "x:/1", name: "one" }];
    const catalog = mergeCatalogs([partOf("a", { resources }), partOf("b", { resources })]);
    expect(catalog.resources).toEqual(resources);
    expect(catalog.resourceRoutes.get("x:/1")?.upstream).toBe("a");
    expect(catalog.problems).toEqual([
      { upstream: "b", problem: "resource x:/1 of b is hidden by the one of a; the endpoint of b alone has it" },
    ]);
  });

  it("that are hidden are told of in one sentence for each who has them first", () => {
    const resources = ["x:/1", "x:/2", "x:/3"].map((uri) => ({ uri, name: uri }));
    const parts = [
      partOf("a", { resources: resources.slice(0, 2) }),
      partOf("b", { resources }),
      partOf("c", { resources }),
    ];
    expect(mergeCatalogs(parts).problems.map(({ problem }) => problem)).toEqual([
      "resource x:/1 and 1 more of b are hidden by those of a; the endpoint of b alone has them",
      "resource x:/1 and 1 more of c are hidden by those of a; the endpoint of c alone has them",
      "resource x:/3 of c is hidden by the one of b; the endpoint of c alone has it",
    ]);
  });

  it("of which one upstream lists the same URI very often are merged in linear time", { timeout: 10_000 }, () => {
    const resources = Array.from({ length: 300_000 }, () => ({ uri: "x:/1", name: "" }));
    const catalog = mergeCatalogs([partOf("a", { resources }), partOf("b", { resources })]);
    expect(catalog.resourceRoutes.size).toBe(1);
    expect(catalog.problems.length).toBeLessThan(5);
  });

  it("show who has a scheme, for links that no list holds", () => {
    const { schemeRoutes } = mergeCatalogs([
      partOf("a", { resources: [{ uri: "x:/1", name: "one" }] }),
      partOf("b", { templates: [{ uriTemplate: "x:/{id}", name: "t" }] }),
    ]);
    expect(schemeRoutes.get("x:")?.map(({ upstream }) => upstream)).toEqual(["a", "b"]);
  });

  it("are left out where the operator says so, by URI or template", () => {
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
    const { resources, templates, templateRoutes } = mergeCatalogs([parts]);
    expect([resources.map(({ uri }) => uri), templates, templateRoutes]).toEqual([["x:/1"], [], []]);
  });
});

describe("the whole", () => {
  it("lives as short and is as private as any part of it (E-56)", () => {
    const long = { freshUntil: 2_000, cacheScope: "public" } as const;
    const short = { freshUntil: 1_000, cacheScope: "private" } as const;
    expect(mergeCatalogs([partOf("a", long), partOf("b", short)])).toMatchObject(short);
    expect(mergeCatalogs([partOf("a", long)])).toMatchObject(long);
    expect(mergeCatalogs([]).cacheScope).toBe("private");
  });

  it("has what any part has, and its instructions by name (J-61)", () => {
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
    });
    expect(instructions).toBe("# a\n\nBe kind.\n\n# c\n\nBe quick.");
    expect(mergeCatalogs([partOf("a", offering({}, "Alone."))]).instructions).toBe("Alone.");
  });

  it("has tasks when an upstream makes them, or the gateway does for it (J-61)", () => {
    const tools = [toolOf("t")];
    const { discover } = catalogOf("a");
    const extensions = { [tasksExtension]: {} };
    const withTasks = { tools, discover: { ...discover, capabilities: { tools: {}, extensions } } };
    const supportOf = (catalog: Catalog) => catalog.tools.map(taskSupportOf);
    const relayed = mergeCatalogs([partOf("a", withTasks), partOf("b", { tools })]);
    expect(relayed.capabilities.extensions).toEqual(extensions);
    // Which of its tools are tasks, a modern upstream does not say.
    expect(supportOf(relayed)).toEqual([undefined, undefined]);
    const made = mergeCatalogs([
      partOf("a", withTasks, { makesTasks: true }),
      partOf("b", { tools }, { makesTasks: true }),
    ]);
    expect(made.capabilities.extensions).toEqual(extensions);
    expect(supportOf(made)).toEqual([undefined, "optional"]);
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
