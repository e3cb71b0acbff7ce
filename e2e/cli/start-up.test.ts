// What the lethe command loads at its start. Its parts for gateway, probe, compare and clients are loaded when a command runs.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const main = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));

/** The packages that a built file imports statically, directly and through its chunks. */
function packagesOf(file: string, seen: Set<string> = new Set()): Set<string> {
  const packages = new Set<string>();
  seen.add(file);
  for (const [, id = ""] of readFileSync(file, "utf8").matchAll(/^import (?:[^"]* from )?"([^"]+)";$/gm)) {
    const chunk = id.startsWith(".") ? join(dirname(file), id) : undefined;
    if (chunk === undefined) packages.add(id);
    else if (!seen.has(chunk)) for (const found of packagesOf(chunk, seen)) packages.add(found);
  }
  return packages;
}

it("the lethe command loads two packages before it runs a command", () => {
  const packages = [...packagesOf(main)].filter((id) => !id.startsWith("node:"));
  expect(packages.sort()).toEqual(["@lethe/protocol", "commander"]);
});

it("the built entry point lethe/gateway imports the packages that it needs", () => {
  const gateway = join(dirname(main), "gateway.js");
  expect([...packagesOf(gateway)]).toEqual(expect.arrayContaining(["@lethe/server/edge", "prom-client"]));
});
