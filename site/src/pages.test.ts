// The sidebar of the site and the documents of the repository match.
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { sections } from "./pages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = sections.flatMap((section) => section.pages);
const sources = pages.flatMap(({ source }) => (source === undefined ? [] : [source]));

it("every document in docs/ has a place in the sidebar", () => {
  const files = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".md"),
  );
  expect(files.map((file) => `docs/${file}`).filter((file) => !sources.includes(file))).toEqual([]);
});

it("every document of the sidebar exists, and no two pages have the same path", () => {
  expect(sources.filter((file) => !existsSync(`${root}${file}`))).toEqual([]);
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
});
