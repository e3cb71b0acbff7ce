import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultClientInfo } from "./client-info.ts";

test("the default client info names this package and its version", () => {
  const { name, version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(defaultClientInfo).toEqual({ name, version });
});
