// A release chooses its version, dates the changelog, and sets the version wherever a source names it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const load = (name: string) => import(new URL(`release/${name}`, import.meta.url).href);
const { nextVersion }: { nextVersion(wanted: string | undefined, current: string, released: string[]): string } =
  await load("next-version.mjs");
const {
  releaseChangelog,
  releasedVersions,
}: {
  releaseChangelog(changelog: string, version: string, date: string): { text: string; notes: string };
  releasedVersions(changelog: string): string[];
} = await load("changelog.mjs");
const { setVersion }: { setVersion(root: string, files: string[], from: string, to: string): string[] } =
  await load("set-version.mjs");

describe("the version of a release", () => {
  it.each([
    [undefined, "0.1.0", [], "0.1.0"],
    ["patch", "0.1.9", ["0.1.9"], "0.1.10"],
    ["minor", "0.1.9", [], "0.2.0"],
    ["major", "1.2.3", [], "2.0.0"],
    ["0.10.0", "0.9.0", ["0.9.0"], "0.10.0"],
  ])("is, for %j after %s, the next one", (wanted, current, released, expected) => {
    expect(nextVersion(wanted, current, released)).toBe(expected);
  });

  it.each([
    [undefined, "0.1.0 is released already: name the next version, or major, minor, patch"],
    ["0.1.0", "0.1.0 is released already"],
    ["0.0.9", "0.0.9 is older than 0.1.0"],
    ["v2", 'expected a version such as 1.2.0, or one of major, minor, patch; got "v2"'],
  ])("is never %j after a release of 0.1.0", (wanted, message) => {
    expect(() => nextVersion(wanted, "0.1.0", ["0.1.0"])).toThrow(message);
  });
});

describe("the changelog of a release", () => {
  const changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 (2026-01-02)\n\n- first\n";

  it("dates the unreleased changes, keeps the older ones, and returns the notes", () => {
    const { text, notes } = releaseChangelog(changelog, "0.2.0", "2026-03-04");
    expect(text).toBe(changelog.replace("## Unreleased\n", "## Unreleased\n\n## 0.2.0 (2026-03-04)\n"));
    expect(notes).toBe("- new");
    expect(releasedVersions(text)).toEqual(["0.2.0", "0.1.0"]);
  });

  it("rejects a release without changes", () => {
    const { text } = releaseChangelog(changelog, "0.2.0", "2026-03-04");
    expect(() => releaseChangelog(text, "0.3.0", "2026-03-05")).toThrow("there is nothing to release");
  });
});

it("sets the version in manifests, in pins of the packages and in sources, and not in other versions", () => {
  const root = mkdtempSync(join(tmpdir(), "lethe-version-"));
  const pins = { "@lethe/client": "0.1.0", zod: "0.1.0" };
  const files = {
    "package.json": JSON.stringify({ version: "0.1.0", dependencies: pins }),
    "packages/cli/src/main.ts": 'program.version("0.1.0"); run("npx lethe@0.1.0 bridge"); const old = "10.1.0";',
    "packages/create-lethe/templates/tools/src/server.ts": 'version: "0.1.0"',
    "docs/page.md": '"0.1.0"',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  expect(setVersion(root, Object.keys(files), "0.1.0", "0.2.0")).toEqual(["package.json", "packages/cli/src/main.ts"]);
  expect(JSON.parse(read("package.json"))).toEqual({
    version: "0.2.0",
    dependencies: { ...pins, "@lethe/client": "0.2.0" },
  });
  expect(read("packages/cli/src/main.ts")).toBe(
    'program.version("0.2.0"); run("npx lethe@0.2.0 bridge"); const old = "10.1.0";',
  );
  rmSync(root, { recursive: true });
});
