// Tells whether a URI can come from a URI template (RFC 6570), which is all that routing needs.
import { findText } from "../config/find-text.ts";

interface Gap {
  /** A simple expression stands for text without a slash, every other operator for any text. */
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

/** Parses and matches in linear time, leftmost first: templates and URIs are foreign input. */
export function createUriMatcher(uriTemplate: string): UriMatcher {
  const { prefix, gaps } = parse(uriTemplate);
  const suffix = gaps.at(-1)?.literal;
  if (suffix === undefined) return { prefix, matches: (uri) => uri === uriTemplate };
  return {
    prefix,
    matches: (uri) => uri.endsWith(suffix) && uri.startsWith(prefix) && matchGaps(uri, prefix.length, gaps),
  };
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

function matchGaps(uri: string, start: number, gaps: readonly Gap[]): boolean {
  let position = start;
  for (const [index, { literal, maySpanSlash }] of gaps.entries()) {
    const isLast = index === gaps.length - 1;
    const at = isLast ? uri.length - literal.length : findText(uri, literal, position);
    if (at < position || !uri.startsWith(literal, at)) return false;
    if (!maySpanSlash && uri.slice(position, at).includes("/")) return false;
    position = at + literal.length;
  }
  return position === uri.length;
}
