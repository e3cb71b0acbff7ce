// A default has one source: the schema and the code that applies it import it.
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL(".", import.meta.url);
/** The code that applies these is in another package, which the gateway hands the setting only if it is given. */
const ofOthers = ["leaseMs", "commandTimeoutMs", "leaseMs", "commandTimeoutMs", "maxConnections", "workers"];

it("a number that the schema gives as a default is a constant of defaults.ts, or belongs to another package", () => {
  const names = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const found = names.flatMap((name) => {
    const parts = readFileSync(new URL(name, folder), "utf8").split(/^ {2}(\w+): (?=optional\()/m);
    return parts.filter((_, index) => /\bdefault: [\d_]/.test(parts[index + 1] ?? ""));
  });
  expect(found.toSorted()).toEqual(ofOthers.toSorted());
});
