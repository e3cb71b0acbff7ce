// The names that each entry point exports. A change here is a change of the public API.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const entryPoints = ["index", "auth", "edge", "middleware", "node/index", "stores"];

/** All exported names, types included: the entry points hold nothing but export lists. */
function exportsOf(name: string): string[] {
  const text = readFileSync(new URL(`./${name}.ts`, import.meta.url), "utf8");
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, list = ""]) => list.split(","));
  const names = lists.flat().map((item) => item.trim().replace(/^type /, ""));
  return names.filter(Boolean).sort();
}

test.each(entryPoints)("%s.ts exports the names of the public API and no others", async (name) => {
  await expect(`${exportsOf(name).join("\n")}\n`).toMatchFileSnapshot(
    `./testdata/exports-${name.replace("/index", "")}.txt`,
  );
});

test("the main entry point exports at most 45 names", () => {
  expect(exportsOf("index").length).toBeLessThanOrEqual(45);
});

test("package.json and the entry point files name the same subpaths", () => {
  const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const sources = Object.values<{ "@lethe/source": string }>(exports).map((entry) => entry["@lethe/source"]);
  expect(sources.sort()).toEqual(entryPoints.map((name) => `./src/${name}.ts`).sort());
});
