// Links and paths in the documents lead to files of the repository.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readTracked, trackedFiles } from "./requirements.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const documents = trackedFiles(/\.md$/);

it("every relative link in a document leads to a file or folder", () => {
  const links = documents.flatMap((file) =>
    [...readTracked(file).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
      const path = target.split("#", 1)[0] ?? "";
      return path === "" || /^[a-z]+:/.test(path) ? [] : [{ file, target, path: join(dirname(file), path) }];
    }),
  );
  expect(links.length).toBeGreaterThan(300);
  expect(links.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
});

it("every path in backticks in a document is one of the repository", () => {
  const paths = documents.flatMap((file) =>
    [...readTracked(file).matchAll(/`((?:packages|scripts|e2e|docs|examples)\/[\w./-]+)`/g)].map(([, path = ""]) => ({
      file,
      path,
    })),
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
});
