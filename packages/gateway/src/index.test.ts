import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as entryPoint from "./index.ts";

test("@lethe/gateway exports these functions and values", () => {
  expect(Object.keys(entryPoint).sort()).toEqual([
    "ConfigError",
    "createGateway",
    "exampleConfig",
    "findUnstartable",
    "logFormats",
    "readConfig",
    "serveGateway",
    "toCallerError",
    "toJsonLine",
    "toTextLine",
  ]);
});

test("@lethe/gateway exports at most 35 names, types included", () => {
  const source = readFileSync(new URL("./index.ts", import.meta.url), "utf8");
  const names = [...source.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim()),
  );
  expect(names.length).toBeLessThanOrEqual(35);
});
