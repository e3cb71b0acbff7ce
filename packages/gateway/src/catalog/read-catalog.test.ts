import { type JsonObject, McpError, type ModernRequest, methodNotFound, type Result } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { catalogOf, toolOf } from "../testing/catalogs.ts";
import type { ListLimits } from "./list-limits.ts";
import { readCatalog } from "./read-catalog.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();
const { discover } = catalogOf("up");

function upstream(answers: Record<string, (params: JsonObject) => Result>) {
  return vi.fn(async ({ method, params }: ModernRequest) => {
    const answer = answers[method];
    if (!answer) throw methodNotFound(method);
    return answer(params);
  });
}

test("all pages of a list are read, and one that goes round in circles is cut (E-45)", async () => {
  const pages: Record<string, string | undefined> = { "": "b", b: "c", c: "b" };
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { tools: {} } }),
    "tools/list": ({ cursor = "" }) => ({
      resultType: "complete",
      tools: [toolOf(`t${cursor}`)],
      nextCursor: pages[String(cursor)],
    }),
  });
  const { tools, problems } = await readCatalog("up", dispatch, signal);
  expect(tools.map(({ name }) => name)).toEqual(["t", "tb", "tc"]);
  expect(problems).toEqual(["up: its list of tools is cut after 3: it goes round in circles"]);
});

function listing(...pages: unknown[]) {
  return upstream({
    "server/discover": () => ({ ...discover, capabilities: { tools: {} } }),
    "tools/list": ({ cursor = "0" }) => ({
      resultType: "complete",
      tools: pages[Number(cursor)] as never,
      ...(pages.length > Number(cursor) + 1 && { nextCursor: String(Number(cursor) + 1) }),
    }),
  });
}

test("entries that are no tools are left out, and a page without any says so", async () => {
  const { tools, problems } = await readCatalog("up", listing([null, toolOf("a")], { a: 1 }, [toolOf("b")]), signal);
  expect(tools.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(problems).toEqual([
    "up: an entry of its tools is left out: it has no name",
    "up: its list of tools has a page without tools",
  ]);
});

test("what is wrong in a list is told no more than twenty times", async () => {
  const { problems } = await readCatalog(
    "up",
    listing(Array.from({ length: 50 }, (_, at) => ({ name: `t${at}` }))),
    signal,
  );
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toBe("up: of its tools 30 more are wrong");
});

test("a list is cut where it becomes too long to be kept, and the operator is told", async () => {
  const pageOf = (page: number) =>
    Array.from({ length: 5 }, (_, index) => toolOf(`t${page}-${index}`, { description: "d".repeat(1_000_000) }));
  const { tools, problems } = await readCatalog("up", listing(...[0, 1, 2, 3, 4].map(pageOf)), signal);
  expect(tools).toHaveLength(16);
  expect(problems).toEqual(["up: its list of tools is cut after 16: it is longer than 16777216 characters"]);
});

test("a list keeps at most so many items as the operator allows, and one line has the count of the rest", async () => {
  const page = Array.from({ length: 200_000 }, (_, index) => toolOf(`t${index}`));
  const read = async (limits?: ListLimits) => readCatalog("up", listing(page, page), signal, limits);
  const byDefault = await read();
  expect(byDefault.tools).toHaveLength(5_000);
  expect(byDefault.problems).toEqual([
    "up: its list of tools is cut after 5000: at least 195000 more are dropped, because gateway.limits.maxTools is 5000",
  ]);
  expect((await read({ maxTools: 200_000 })).tools).toHaveLength(200_000);
});

test("items that repeat an earlier name are left out, and one line has their count", { timeout: 10_000 }, async () => {
  const page = Array.from({ length: 200_000 }, () => toolOf("same"));
  const { tools, problems } = await readCatalog("up", listing(page), signal);
  expect(tools).toHaveLength(1);
  expect(problems).toEqual(["up: of its tools 199999 repeat another one and are left out"]);
});

test("lists have the same version exactly as long as their items are the same", async () => {
  const versionOf = async (...pages: unknown[]) => (await readCatalog("up", listing(...pages), signal)).versions.tools;
  const [a, b] = [toolOf("a"), toolOf("b")];
  expect(await versionOf([a], [b])).toBe(await versionOf([a, b]));
  expect(await versionOf([a, b])).not.toBe(await versionOf([b, a]));
  expect(await versionOf([a])).not.toBe(await versionOf([{ ...a, title: "A" }]));
});

test("a URI template that is too long is left out", async () => {
  const templates = ["x:/{id}", `x:/${"{".repeat(40_000)}`].map((uriTemplate) => ({ name: "t", uriTemplate }));
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { resources: {} } }),
    "resources/list": () => ({ resultType: "complete", resources: [] }),
    "resources/templates/list": () => ({ resultType: "complete", resourceTemplates: templates }),
  });
  const read = await readCatalog("up", dispatch, signal);
  expect(read.templates.map(({ uriTemplate }) => uriTemplate)).toEqual(["x:/{id}"]);
  const [problem = ""] = read.problems;
  expect(problem).toMatch(/^up: resource template x:.*… is left out: its uriTemplate has 40003 characters/);
  expect(problem.length).toBeLessThan(400);
});

test("a list without an end is cut after 100 pages (E-45)", async () => {
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { tools: {} } }),
    "tools/list": ({ cursor = "0" }) => ({
      resultType: "complete",
      tools: [toolOf(`t${cursor}`)],
      ...(cursor !== "200" && { nextCursor: String(Number(cursor) + 1) }),
    }),
  });
  const { tools, problems } = await readCatalog("up", dispatch, signal);
  expect(tools).toHaveLength(100);
  expect(problems).toEqual(["up: its list of tools is cut after 100: it has more than 100 pages"]);
});

test("only what the upstream says it has is asked for, and with all that can be relayed declared", async () => {
  const dispatch = upstream({ "server/discover": () => ({ ...discover, capabilities: {} }) });
  await readCatalog("up", dispatch, signal);
  expect(dispatch).toHaveBeenCalledTimes(1);
  expect(dispatch.mock.calls[0]?.[0].params._meta["io.modelcontextprotocol/clientCapabilities"]).toMatchObject({
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
  });
});

test("the shortest promise counts, from when it was made (E-56)", async () => {
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { tools: {} }, ttlMs: 60_000, cacheScope: "public" }),
    "tools/list": () => ({ resultType: "complete", tools: [], ttlMs: 5_000, cacheScope: "public" }),
  });
  expect(await readCatalog("up", dispatch, signal)).toMatchObject({ freshUntil: 6_000, cacheScope: "public" });
});

test("what says nothing of its scope is private (E-56)", async () => {
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { tools: {} }, ttlMs: 60_000, cacheScope: "public" }),
    "tools/list": () => ({ resultType: "complete", tools: [] }),
  });
  expect(await readCatalog("up", dispatch, signal)).toMatchObject({ cacheScope: "private" });
});

test("an upstream with resources may lack the method for templates", async () => {
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { resources: {} } }),
    "resources/list": () => ({ resultType: "complete", resources: [{ uri: "x:/1", name: "one" }] }),
  });
  expect(await readCatalog("up", dispatch, signal)).toMatchObject({
    resources: [{}],
    templates: [],
    freshUntil: 1_000,
    cacheScope: "private",
  });
});

test("an upstream that fails to list its templates fails", async () => {
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { resources: {} } }),
    "resources/list": () => ({ resultType: "complete", resources: [] }),
    "resources/templates/list": () => {
      throw new McpError(-32603, "out of order");
    },
  });
  await expect(readCatalog("up", dispatch, signal)).rejects.toThrow("out of order");
});

test("an upstream that does not say what it is fails", async () => {
  const dispatch = upstream({ "server/discover": () => ({ resultType: "complete" }) });
  await expect(readCatalog("up", dispatch, signal)).rejects.toThrow('upstream "up" gave no valid answer');
});
