// Variables of environment files.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readEnvironment } from "./environment.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lethe-environment-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

it("later environment files win, and the real environment wins over all of them", async () => {
  const files = [write("a", "ONE=1\nTWO=1\nREAL=file\n"), write("b", 'TWO="2 # two"\n')];
  const read = await readEnvironment({ files, areRequired: true }, { REAL: "real" });
  expect(read).toEqual({ ONE: "1", TWO: "2 # two" });
});

it("a missing environment file is an error only if the user named it", async () => {
  const files = [join(folder, "none")];
  expect(await readEnvironment({ files, areRequired: false }, {})).toEqual({});
  await expect(readEnvironment({ files, areRequired: true }, {})).rejects.toThrow(
    `cannot read the environment file ${files[0]}: ENOENT`,
  );
});
