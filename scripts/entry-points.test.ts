// The names that each entry point exports. A change here is a change of the public API.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const packages = [
  "client",
  "compare",
  "gateway",
  "openapi",
  "postgres",
  "probe",
  "protocol",
  "redis",
  "server",
  "testing",
];
/** Private packages, which users import as subpaths of `lethe`. */
const contained = ["compare", "gateway", "probe"];
/** Private packages behind a command of `lethe`, without names for users. */
const internal = ["console", "dev", "migrate"];
/** Entry points that run a program and export no names. */
const programs = ["compare-demo", "compare-tee"];
/** Entry points for other packages of the workspace, without names for users. */
const shared = [
  "gateway-console",
  "gateway-ports",
  "gateway-telemetry",
  "gateway-watch",
  "probe-html",
  "gateway-workers",
  "server-forwarding",
];
/** Entry points that export the names of a private package. */
const reexports = ["server-testing"];

const entryPoints = packages.flatMap((name) => {
  const manifest = JSON.parse(readFileSync(new URL(`../packages/${name}/package.json`, import.meta.url), "utf8"));
  const exports = Object.entries<{ "@lethe/source": string }>(manifest.exports);
  return exports.map(([subpath, entry]) => ({
    name: `${name}${subpath.slice(1).replace("/", "-")}`,
    source: new URL(`../packages/${name}/${entry["@lethe/source"]}`, import.meta.url),
  }));
});
const libraries = entryPoints.filter(({ name }) => ![...programs, ...shared, ...reexports].includes(name));

/** All exported names, types marked as such: the entry points hold nothing but export lists. */
function exportsOf(source: URL): string[] {
  const lists = [...readFileSync(source, "utf8").matchAll(/^export (type )?\{([^}]*)\}/gm)];
  return lists.flatMap(([, kind = "", list = ""]) => {
    const names = list.split(",").map((item) => item.trim());
    return names.filter(Boolean).map((item) => (item.startsWith("type ") ? item : `${kind}${item}`));
  });
}

function nameOf(item: string): string {
  return item.replace(/^type /, "");
}

test.each(libraries)("$name exports the names of the public API and no others", async ({ name, source }) => {
  const names = exportsOf(source).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  await expect(`${names.join("\n")}\n`).toMatchFileSnapshot(`./testdata/exports-${name}.txt`);
});

/** The first import of a package transforms all of its sources, which a busy machine does slowly. */
const timeout = 180_000;

test.each(libraries)("$name exports exactly the values that its export lists name", { timeout }, async ({ source }) => {
  const values = exportsOf(source).filter((item) => !item.startsWith("type "));
  expect(values.sort()).toEqual(Object.keys(await import(source.href)).sort());
});

test.each(contained)("lethe/%s exports the names of packages/%s and no others", { timeout }, async (name) => {
  const own = await import(`lethe/${name}`);
  expect(Object.keys(own)).toEqual(Object.keys(await import(`@lethe/${name}`)));
});

test("@lethe/server/testing exports the names of packages/testing and no others", async () => {
  const own = await import("@lethe/server/testing");
  expect(Object.keys(own)).toEqual(Object.keys(await import("@lethe/testing")));
});

test("lethe has one entry point for each package that it contains, and no others", () => {
  const manifest = JSON.parse(readFileSync(new URL("../packages/cli/package.json", import.meta.url), "utf8"));
  expect(Object.keys(manifest.exports).sort()).toEqual(contained.map((name) => `./${name}`));
  expect(Object.keys(manifest.devDependencies)).toEqual(
    [...contained, ...internal].sort().map((name) => `@lethe/${name}`),
  );
});

test.each([
  { name: "client", most: 60 },
  { name: "server", most: 60 },
  { name: "gateway", most: 42 },
])("the main entry point of $name exports at most $most names", ({ name, most }) => {
  const main = entryPoints.find((entry) => entry.name === name);
  expect(main && exportsOf(main.source).length).toBeLessThanOrEqual(most);
});

// Types of @lethe/protocol are tested through the packages that export them.
test.each(libraries.filter(({ name }) => !name.startsWith("protocol")))(
  "the programs in e2e/types/api use each value that $name exports",
  ({ source }) => {
    const folder = new URL("../e2e/types/api/", import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
    const words = new Set(files.flatMap((file) => readFileSync(new URL(file, folder), "utf8").match(/\w+/g)));
    const values = exportsOf(source).filter((item) => !item.startsWith("type "));
    const names = values.map((item) => item.split(" as ").at(-1) as string);
    expect(names.filter((name) => !words.has(name))).toEqual([]);
  },
);
