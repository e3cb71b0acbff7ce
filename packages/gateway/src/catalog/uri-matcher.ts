// Tells whether a URI template (RFC 6570) can produce a URI.
import { findText } from "../config/find-text.ts";

interface Gap {
  /** A simple expression matches text without a slash, every other operator any text. */
  maySpanSlash: boolean;
  /** The literal text that follows the expression. */
  literal: string;
}

export interface UriMatcher {
  /** The literal text before the first expression: every URI of the template starts with it. */
  readonly prefix: string;
  matches(uri: string): boolean;
}

const operators: ReadonlySet<string> = new Set("+#./;?&");

/** Parses and matches in linear time: templates and URIs are foreign input. */
export function createUriMatcher(uriTemplate: string): UriMatcher {
  const { prefix, gaps } = parse(uriTemplate);
  const suffix = gaps.at(-1)?.literal;
  if (suffix === undefined) return { prefix, matches: (uri) => uri === uriTemplate };
  const matchGaps = createGapMatcher(prefix.length, gaps);
  return { prefix, matches: (uri) => uri.endsWith(suffix) && uri.startsWith(prefix) && matchGaps(uri) };
}

/** A `{` without a `}` is literal text, and so is all text after it. */
function parse(uriTemplate: string): { prefix: string; gaps: Gap[] } {
  const gaps: Gap[] = [];
  let prefix = uriTemplate;
  let open = uriTemplate.indexOf("{");
  while (open !== -1) {
    const close = uriTemplate.indexOf("}", open);
    if (close === -1) break;
    if (gaps.length === 0) prefix = uriTemplate.slice(0, open);
    const next = uriTemplate.indexOf("{", close);
    const hasNext = next !== -1 && uriTemplate.indexOf("}", next) !== -1;
    gaps.push({
      maySpanSlash: operators.has(uriTemplate.charAt(open + 1)),
      literal: uriTemplate.slice(close + 1, hasNext ? next : undefined),
    });
    open = hasNext ? next : -1;
  }
  return { prefix, gaps };
}

/**
 * Between the first and the last gap that spans slashes, the literals only have to follow each other. What precedes is matched
 * from the start of the URI, and what follows from its end backwards: in `x:{+path}/{name}` the name follows the last slash.
 */
function createGapMatcher(start: number, gaps: readonly Gap[]): (uri: string) => boolean {
  const first = gaps.findIndex(({ maySpanSlash }) => maySpanSlash);
  const suffix = gaps.at(-1)?.literal.length ?? 0;
  if (first === -1) {
    const inner = gaps.slice(0, -1);
    return (uri) => {
      const position = matchForward(uri, start, inner);
      const end = uri.length - suffix;
      return position !== -1 && position <= end && !uri.slice(position, end).includes("/");
    };
  }
  const last = gaps.findLastIndex(({ maySpanSlash }) => maySpanSlash);
  const head = gaps.slice(0, first);
  const middle = gaps.slice(first, last).map((gap) => ({ ...gap, maySpanSlash: true }));
  const tail = gaps
    .slice(last, -1)
    .map(({ literal }) => ({ literal: reversed(literal), maySpanSlash: false }))
    .reverse();
  return (uri) => {
    const from = matchForward(uri, start, head);
    if (from === -1) return false;
    const left = tail.length === 0 ? suffix : matchForward(reversed(uri), suffix, tail);
    if (left === -1) return false;
    const to = matchForward(uri, from, middle);
    return to !== -1 && to <= uri.length - left;
  };
}

/** Finds each literal at its leftmost position. Returns the end of the last one, or -1. */
function matchForward(text: string, start: number, gaps: readonly Gap[]): number {
  let position = start;
  for (const { literal, maySpanSlash } of gaps) {
    const at = findText(text, literal, position);
    if (at === -1 || (!maySpanSlash && text.slice(position, at).includes("/"))) return -1;
    position = at + literal.length;
  }
  return position;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}
