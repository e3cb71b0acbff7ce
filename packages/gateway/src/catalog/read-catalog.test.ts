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

test("reads all pages of a list and truncates a list with a repeated cursor (E-45)", async () => {
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

test("leaves out entries that are not tools and reports a page without any", async () => {
  const { tools, problems } = await readCatalog("up", listing([null, toolOf("a")], { a: 1 }, [toolOf("b")]), signal);
  expect(tools.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(problems).toEqual([
    "up: an entry of its tools is left out: it has no name",
    "up: its list of tools has a page without tools",
  ]);
});

test("reports at most twenty problems of one list", async () => {
  const { problems } = await readCatalog(
    "up",
    listing(Array.from({ length: 50 }, (_, at) => ({ name: `t${at}` }))),
    signal,
  );
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toBe("up: of its tools 30 more are wrong");
});

test("truncates a list that is too large to keep and tells the operator", async () => {
  const pageOf = (page: number) =>
    Array.from({ length: 5 }, (_, index) => toolOf(`t${page}-${index}`, { description: "d".repeat(1_000_000) }));
  const { tools, problems } = await readCatalog("up", listing(...[0, 1, 2, 3, 4].map(pageOf)), signal);
  expect(tools).toHaveLength(16);
  expect(problems).toEqual(["up: its list of tools is cut after 16: it is longer than 16777216 characters"]);
});

test("keeps at most the configured number of items and reports the number of the others in one line", async () => {
  const page = Array.from({ length: 200_000 }, (_, index) => toolOf(`t${index}`));
  const read = async (limits?: ListLimits) => readCatalog("up", listing(page, page), signal, { limits });
  const byDefault = await read();
  expect(byDefault.tools).toHaveLength(5_000);
  expect(byDefault.problems).toEqual([
    "up: its list of tools is cut after 5000: at least 195000 more are dropped, because gateway.limits.maxTools is 5000",
  ]);
  expect((await read({ maxTools: 200_000 })).tools).toHaveLength(200_000);
});

test("leaves out items that repeat an earlier name and reports their number in one line", {
  timeout: 10_000,
}, async () => {
  const page = Array.from({ length: 200_000 }, () => toolOf("same"));
  const { tools, problems } = await readCatalog("up", listing(page), signal);
  expect(tools).toHaveLength(1);
  expect(problems).toEqual(["up: of its tools 199999 repeat another one and are left out"]);
});

test("keeps the version of a list exactly as long as its items are the same", async () => {
  const versionOf = async (...pages: unknown[]) => (await readCatalog("up", listing(...pages), signal)).versions.tools;
  const [a, b] = [toolOf("a"), toolOf("b")];
  expect(await versionOf([a], [b])).toBe(await versionOf([a, b]));
  expect(await versionOf([a, b])).not.toBe(await versionOf([b, a]));
  expect(await versionOf([a])).not.toBe(await versionOf([{ ...a, title: "A" }]));
});

test("leaves out a URI template that is too long", async () => {
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

test("truncates an endless list after 100 pages (E-45)", async () => {
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

test("requests only declared lists and declares every capability that the gateway can forward", async () => {
  const dispatch = upstream({ "server/discover": () => ({ ...discover, capabilities: {} }) });
  await readCatalog("up", dispatch, signal);
  expect(dispatch).toHaveBeenCalledTimes(1);
  expect(dispatch.mock.calls[0]?.[0].params._meta["io.modelcontextprotocol/clientCapabilities"]).toMatchObject({
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
  });
});

test("uses the shortest ttlMs of all pages, from the time of its page (E-56)", async () => {
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { tools: {} }, ttlMs: 60_000, cacheScope: "public" }),
    "tools/list": () => ({ resultType: "complete", tools: [], ttlMs: 5_000, cacheScope: "public" }),
  });
  expect(await readCatalog("up", dispatch, signal)).toMatchObject({ freshUntil: 6_000, cacheScope: "public" });
});

test("treats a list without cacheScope as private (E-56)", async () => {
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { tools: {} }, ttlMs: 60_000, cacheScope: "public" }),
    "tools/list": () => ({ resultType: "complete", tools: [] }),
  });
  expect(await readCatalog("up", dispatch, signal)).toMatchObject({ cacheScope: "private" });
});

test("accepts an upstream with resources that lacks resources/templates/list", async () => {
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

test("fails if the upstream fails to list its templates", async () => {
  const dispatch = upstream({
    "server/discover": () => ({ ...discover, capabilities: { resources: {} } }),
    "resources/list": () => ({ resultType: "complete", resources: [] }),
    "resources/templates/list": () => {
      throw new McpError(-32603, "out of order");
    },
  });
  await expect(readCatalog("up", dispatch, signal)).rejects.toThrow("out of order");
});

test("fails if the upstream does not identify itself", async () => {
  const dispatch = upstream({ "server/discover": () => ({ resultType: "complete" }) });
  await expect(readCatalog("up", dispatch, signal)).rejects.toThrow('upstream "up" gave no valid answer');
});
