// How the search of the site ranks its results.

/** Short words have no tolerance for typing errors, because "CORS" would find "cores". */
export function toleranceOf(term: string): number | false {
  return term.length > 4 && 0.2;
}

/** The last word may be half typed. Before it, short words are whole: "max" of "max body size" would find each option that starts with it. */
export function isPrefix(term: string, index: number, terms: readonly string[]): boolean {
  return index === terms.length - 1 || term.length > 3;
}

/**
 * Guides come before references, which repeat every word many times. VitePress sends the source of these functions to browsers, so they
 * use nothing from outside.
 */
function rankGuidesFirst(id: string): number {
  if (/\/(reference\/api\/|requirements|changelog|architecture|contributing|security)/.test(id)) return 0.2;
  if (/\/(reference\/|transports|reliability|conformance|configuration|rough-edges|packages\/(compare|probe))/.test(id))
    return 0.5;
  return 1;
}

/**
 * The index contains each word and its stem, and a search looks for the stem: "validate" finds "validation", and half a word that the user
 * types finds the whole one. MiniSearch passes a field only for the index. A search ignores words that occur in every section.
 */
export function toTerms(text: string, field?: string): string | string[] | null {
  const word = text.toLowerCase();
  const stem = stemOf(word);
  if (field !== undefined) return stem === word ? word : [word, stem];
  const isCommon =
    /^(.|an|and|are|as|at|be|by|can|do|does|for|from|get|how|i|in|is|it|its|me|my|of|on|or|so|that|the|this|to|use|what|when|which|who|why|with|you|your)$/;
  return isCommon.test(word) ? null : stem;

  function stemOf(whole: string): string {
    if (/^(cors|https|redis)$/.test(whole)) return whole;
    const endings: [ending: RegExp, shortestStem: number, instead: string][] = [
      [/ies$/, 3, "y"],
      [/(ations?|ated?|ates|ating)$/, 4, ""],
      [/ions?$/, 4, ""],
      [/(ings?|ed)$/, 3, ""],
      [/es?$/, 4, ""],
      [/(?<![sui])s$/, 3, ""],
    ];
    for (const [ending, shortestStem, instead] of endings) {
      const stem = whole.replace(ending, instead);
      // "logging" is "log", but "calling" is "call".
      if (stem !== whole && stem.length >= shortestStem)
        return stem.length > 5 ? stem.replace(/([^aeiou])\1$/, "$1") : stem.replace(/([^aeiouls])\1$/, "$1");
    }
    return whole;
  }
}

export const indexOptions = { processTerm: toTerms };

export const searchOptions = {
  fuzzy: toleranceOf,
  prefix: isPrefix,
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: rankGuidesFirst,
  processTerm: toTerms,
};

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
