// The names that each entry point exports. A change here is a change of the public API.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const packages = ["server", "redis"];
const entryPoints = packages.flatMap((name) => {
  const manifest = JSON.parse(readFileSync(new URL(`../packages/${name}/package.json`, import.meta.url), "utf8"));
  const exports = Object.entries<{ "@lethe/source": string }>(manifest.exports);
  return exports.map(([subpath, entry]) => ({
    name: `${name}${subpath.slice(1).replace("/", "-")}`,
    source: new URL(`../packages/${name}/${entry["@lethe/source"]}`, import.meta.url),
  }));
});

/** All exported names, types included: the entry points hold nothing but export lists. */
function exportsOf(source: URL): string[] {
  const lists = [...readFileSync(source, "utf8").matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
  const names = lists.flatMap(([, list = ""]) => list.split(",")).map((item) => item.trim().replace(/^type /, ""));
  return names.filter(Boolean).sort();
}

test.each(entryPoints)("$name exports the names of the public API and no others", async ({ name, source }) => {
  await expect(`${exportsOf(source).join("\n")}\n`).toMatchFileSnapshot(`./testdata/exports-${name}.txt`);
});

test("the main entry point of the server exports at most 45 names", () => {
  const main = entryPoints.find(({ name }) => name === "server");
  expect(main && exportsOf(main.source).length).toBeLessThanOrEqual(45);
});
