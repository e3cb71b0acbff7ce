// The URI patterns of a rule: which URIs match in every reading, and which in at least one.
import { createNameMatcher } from "../config/name-matcher.ts";
import { type Reading, type Readings, readingsOf, take } from "./uri-readings.ts";
import { toCompatible } from "./uri-steps.ts";

export interface UriPatterns {
  /** Whether one of them matches any text. */
  readonly isOpen: boolean;
  /** For deny rules: true if some reading matches or the URI is ambiguous. Ignores case. */
  matchesSome(uri: Readings): boolean;
  /** For allow rules: true if each reading matches a pattern that is read in the same way. */
  matchesEvery(uri: Readings): boolean;
  /** Whether a pattern that is read in the same way matches this reading. */
  matches(reading: Reading): boolean;
}

/** Stands for the star of a pattern, so that `%2A` can stand for the character. No clear URI contains it. */
const star = "\uFFFF";

/** `*` matches any text, including none. The patterns of `base` count as well, and are not read again. */
export function createUriPatterns(patterns: readonly string[], base?: UriPatterns): UriPatterns {
  const isOpen = base?.isOpen === true || patterns.some((pattern) => /^\*+$/.test(pattern));
  const read = patterns.map((pattern) => readingsOf(pattern.replaceAll("*", star), "pattern").all);
  const matchesLoosely = createLooseMatcher(read.flatMap((all) => all.map(({ text }) => text)));
  const matchesPlain = createNameMatcher(read.filter((all) => all.length === 1).map(textOf), star);
  const others = read.filter((all) => all.length > 1).map(textOf);

  /** A server interprets the operator's pattern in the same way as the caller's URI. */
  function matchesAlike({ text, how }: Reading): boolean {
    return others.some((pattern) => {
      const alike = how.reduce<string | undefined>((last, step) => last && take(step, last), pattern);
      return alike !== undefined && createNameMatcher([alike], star)(text);
    });
  }

  function matches(reading: Reading): boolean {
    return matchesPlain(reading.text) || matchesAlike(reading) || base?.matches(reading) === true;
  }

  return {
    isOpen,
    matches,
    matchesSome(uri) {
      if (isOpen || base?.matchesSome(uri)) return true;
      return uri.isClear ? uri.all.some(({ text }) => matchesLoosely(text)) : patterns.length > 0;
    },
    matchesEvery: ({ all, isClear }) => isOpen || (isClear && all.every(matches)),
  };
}

function textOf([first]: readonly Reading[]): string {
  return first?.text ?? "";
}

/** Matches names that some file system treats as equal, and any number of slashes after the scheme and at the end. */
function createLooseMatcher(patterns: readonly string[]): (text: string) => boolean {
  const folded = patterns.map(fold);
  const matchesOneSlash = createNameMatcher(folded.map(withOneSlash).flatMap(withItsFolder), star);
  // A star of the pattern may stand for some of the slashes, or for the scheme.
  const matchesSlashes = createNameMatcher(folded.flatMap(withItsFolder), star);
  const matches = (spelling: string) => matchesOneSlash(withOneSlash(spelling)) || matchesSlashes(spelling);
  return (text) => {
    const whole = fold(text);
    const bare = withoutLastSlashes(whole);
    return matches(whole) || (bare !== whole && matches(bare));
  };
}

function withOneSlash(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:)\/*/, "$1/");
}

/** A folder may end with a slash or not, and `file:///folder/*` applies to the folder too. */
function withItsFolder(pattern: string): string[] {
  const isFolder = pattern.startsWith("file:") && pattern.endsWith(`/${star}`);
  return [pattern, withoutLastSlashes(isFolder ? pattern.slice(0, -star.length) : pattern)];
}

/** Case, compatible characters and invisible ones: macOS and Windows ignore some of these differences. */
function fold(text: string): string {
  // The lower case of Σ depends on the letters around it, which a star of a pattern hides.
  return toCompatible(toCompatible(text).toUpperCase().toLowerCase()).replaceAll("ς", "σ");
}

function withoutLastSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}
