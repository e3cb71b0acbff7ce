import { expect, test } from "vitest";
import { catalogOf, rulesOf, toolOf } from "../testing/catalogs.ts";
import { CatalogView, type ListKind } from "./catalog-view.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";

const toolsOnly = { ...catalogOf("one").discover, capabilities: { tools: {} } };

function setUp() {
  const changes: (readonly ListKind[])[] = [];
  const problems: string[] = [];
  const view = new CatalogView({
    upstreams: () => [{ name: "up", rules: rulesOf("") }],
    onChange: (kinds) => changes.push(kinds),
    onProblem: (problem) => problems.push(problem),
  });
  const read = (more: Partial<UpstreamCatalog>) => view.update(() => catalogOf("up", more));
  return { changes, problems, read };
}

test("reports a problem once, and again when it returns", () => {
  const { problems, read } = setUp();
  const twice = { tools: [toolOf("a"), toolOf("a")] };
  read(twice);
  read(twice);
  expect(problems).toHaveLength(1);
  read({ tools: [toolOf("a")] });
  read(twice);
  expect(problems).toHaveLength(2);
});

test("holds back problems until every upstream was read or the startup window has passed", () => {
  const problems: string[] = [];
  let isStartingUp = true;
  const view = new CatalogView({
    upstreams: () => ["one", "two", "three"].map((name) => ({ name, rules: rulesOf(name) })),
    onProblem: (problem, upstream) => problems.push(`${upstream}: ${problem}`),
    isStartingUp: () => isStartingUp,
  });
  const resources = [{ name: "r", uri: "x:/1" }];
  const read = (...names: string[]) =>
    view.update((name) => (names.includes(name) ? catalogOf(name, { resources }) : undefined));
  read("three");
  read("three", "two");
  expect(problems).toEqual([]);
  isStartingUp = false;
  view.tellProblems();
  const what = "offered under a URI that includes the server";
  expect(problems).toEqual(
    ["two", "three"].map((name) => expect.stringMatching(`^${name}: resource x:/1 of ${name} ${what}`)),
  );
  isStartingUp = true;
  read("one", "two", "three");
  expect(problems).toHaveLength(3);
});

test("new templates make another list of resources, and an identical reading makes none", () => {
  const { changes, read } = setUp();
  const templates = [{ name: "t", uriTemplate: "x:{id}" }];
  read({ templates });
  read({ templates });
  expect(changes).toEqual([["resources"]]);
});

test("marks a list as not cacheable until every upstream was read (E-56)", () => {
  const freshUntil = Date.now() + 60_000;
  const view = new CatalogView({ upstreams: () => ["one", "two"].map((name) => ({ name, rules: rulesOf(name) })) });
  view.update((name) => (name === "one" ? catalogOf(name, { freshUntil }) : undefined));
  expect([view.isComplete, view.current.freshUntil]).toEqual([false, 0]);
  view.update((name) => catalogOf(name, { freshUntil }));
  expect([view.isComplete, view.current.freshUntil]).toEqual([true, freshUntil]);
});

test("declares every list while an upstream was not read, so that clients ask again (E-4)", () => {
  const view = new CatalogView({
    upstreams: () => ["one", "two"].map((name) => ({ name, rules: rulesOf(name) })),
  });
  view.update((name) => (name === "one" ? catalogOf(name, { discover: toolsOnly }) : undefined));
  expect(Object.keys(view.current.capabilities)).toEqual(["tools", "prompts", "resources"]);
  expect(view.unreadOwnerOf("two__ask")).toEqual({ upstream: "two", name: "ask" });
  expect(view.unreadOwnerOf("one__ask")).toBeUndefined();
  view.update((name) => catalogOf(name, { discover: toolsOnly }));
  expect(Object.keys(view.current.capabilities)).toEqual(["tools"]);
  expect(view.unreadOwnerOf("two__ask")).toBeUndefined();
});

test("counts any name as possible for an unread upstream without a prefix", () => {
  const view = new CatalogView({ upstreams: () => [{ name: "up", rules: rulesOf("") }] });
  view.update(() => undefined);
  expect(view.unreadOwnerOf("ask")).toEqual({ upstream: "up", name: "ask" });
});
