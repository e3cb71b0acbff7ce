// How the search of the site ranks its results.

export const searchOptions = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } };

/**
 * Guides come before generated references, which repeat every word many times. VitePress sends the source of this function to browsers,
 * so it uses nothing from outside.
 */
export function rankGuidesFirst(id: string): number {
  if (id.includes("/reference/api/") || id.includes("/requirements") || id.includes("/changelog")) return 0.2;
  if (id.includes("/reference/") || id.includes("/transports") || id.includes("/architecture")) return 0.5;
  return 1;
}

/**
 * Returns the part of a page that the search covers. Of the TypeScript API, this is the names of functions, classes and types, because
 * its text would make the index five times as large. The page of questions would win every search for its own words.
 */
export function searchedPart(source: string, path: string): string {
  if (path === "questions.md") return "";
  if (!path.startsWith("reference/api/")) return source;
  return source
    .split("\n")
    .filter((line) => /^#{1,3} /.test(line))
    .join("\n\n");
}
