// Reads the built documentation site: its pages, their links and anchors, and its search.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import MiniSearch from "minisearch";
import { indexOptions, searchOptions } from "../../../site/.vitepress/search.ts";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const dist = join(root, "site/dist");

export interface BuiltPage {
  /** As in the address bar, such as "/gateway/files". */
  readonly path: string;
  readonly html: string;
  readonly anchors: ReadonlySet<string>;
}

export function readPages(): Map<string, BuiltPage> {
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
  return new Map(
    files.map((file) => {
      const path = `/${file.replace(/(^|\/)index\.html$/, "$1").replace(/\.html$/, "")}`;
      const html = readFileSync(join(dist, file), "utf8");
      const anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id));
      return [path, { path, html, anchors }];
    }),
  );
}

/** Links and images as "PAGE -> TARGET" that lead to no page, no anchor, or no file of the site or the repository. */
export function brokenLinks(pages: ReadonlyMap<string, BuiltPage>): string[] {
  return [...pages.values()].flatMap((page) =>
    [...page.html.matchAll(/<(?:a|img) [^>]*?(?:href|src)="([^"]+)"/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !leadsSomewhere(target, page, pages))
      .map((target) => `${page.path} -> ${target}`),
  );
}

function leadsSomewhere(target: string, from: BuiltPage, pages: ReadonlyMap<string, BuiltPage>): boolean {
  const [, file] = /^https:.*\/blob\/HEAD\/([^#]*)/.exec(target) ?? [];
  if (file !== undefined) return existsSync(join(root, file));
  if (/^[a-z]+:/.test(target)) return true;
  const { pathname, hash } = new URL(target, `http://site${from.path}`);
  const page = pages.get(decodeURIComponent(pathname));
  if (page === undefined) return isFile(join(dist, pathname));
  return hash === "" || page.anchors.has(decodeURIComponent(hash.slice(1)));
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** What a page loads from other hosts: scripts, styles, images, fonts and frames. */
export function foreignResources(pages: ReadonlyMap<string, BuiltPage>): string[] {
  const loading = /<(?:script|link|img|iframe|source|video)\b[^>]*?\b(?:src|href)="((?:https?:)?\/\/[^"]+)"/g;
  const inPages = [...pages.values()].flatMap(({ path, html }) =>
    [...html.matchAll(loading)].map(([, target = ""]) => `${path} loads ${target}`),
  );
  const styles = readdirSync(join(dist, "assets")).filter((file) => file.endsWith(".css"));
  const inStyles = styles.flatMap((file) =>
    [...readFileSync(join(dist, "assets", file), "utf8").matchAll(/url\(["']?((?:https?:)?\/\/[^)]+)|@import/g)].map(
      ([found]) => `${file} loads ${found}`,
    ),
  );
  return [...inPages, ...inStyles];
}

/** Returns the pages that the search of the site shows for these words, best first, each with the section at which its first result opens. */
export async function createSearch(): Promise<(words: string) => string[]> {
  const chunks = join(dist, "assets/chunks");
  const file = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot")) ?? "";
  const { default: text } = (await import(pathToFileURL(join(chunks, file)).href)) as { default: string };
  // The search box of VitePress has the same fields.
  const index = MiniSearch.loadJSON<{ id: string }>(text, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    ...indexOptions,
    searchOptions,
  });
  return (words) => {
    const first = new Map<string, string>();
    for (const { id } of index.search(words)) {
      const page = id.split("#", 1)[0] ?? "";
      if (!first.has(page)) first.set(page, id);
    }
    return [...first.values()];
  };
}
