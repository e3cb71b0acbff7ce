import { type JsonObject, McpError, type ModernRequest, methodNotFound, type Result } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { catalogOf, toolOf } from "../testing/catalogs.ts";
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
  const page = Array.from({ length: 5 }, (_, index) => toolOf(`t${index}`, { description: "d".repeat(1_000_000) }));
  const { tools, problems } = await readCatalog("up", listing(page, page, page, page, page), signal);
  expect(tools).toHaveLength(16);
  expect(problems).toEqual(["up: its list of tools is cut after 16: it is longer than 16777216 characters"]);
});

test("a page may have any number of entries", async () => {
  const page = Array.from({ length: 200_000 }, (_, index) => toolOf(`t${index}`));
  expect((await readCatalog("up", listing(page), signal)).tools).toHaveLength(200_000);
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
