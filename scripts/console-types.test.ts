// The types of the console follow the description of the admin API that the gateway serves.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
// @ts-expect-error a script without declarations
import { toTypes, typesFile } from "./console-types.mjs";

const description = new URL("../packages/gateway/testdata/admin-api.json", import.meta.url);

/** Without the white space and trailing separators that the formatter chooses. */
function withoutLayout(source: string): string {
  return source
    .replace(/\s+/g, "")
    .replace(/=\|/g, "=")
    .replace(/,([)\]}])/g, "$1");
}

test("the types of the console are those of the description of the admin API", () => {
  const written = readFileSync(typesFile, "utf8");
  expect(withoutLayout(written)).toBe(withoutLayout(toTypes(JSON.parse(readFileSync(description, "utf8")))));
});
