// Tells whether a URI can come from a URI template (RFC 6570), which is all that routing needs.

const expression = /\{([+#./;?&]?)[^}]*\}/g;

interface Gap {
  /** A simple expression stands for text without a slash, every other operator for any text. */
  maySpanSlash: boolean;
  /** The literal text that follows the expression. */
  literal: string;
}

/** Matches in linear time, leftmost first: templates and URIs are other people's input. */
export function createUriMatcher(uriTemplate: string): (uri: string) => boolean {
  const found = [...uriTemplate.matchAll(expression)];
  const prefix = uriTemplate.slice(0, found[0]?.index);
  const gaps: Gap[] = found.map((match, index) => ({
    maySpanSlash: match[1] !== "",
    literal: uriTemplate.slice(match.index + match[0].length, found[index + 1]?.index),
  }));
  if (gaps.length === 0) return (uri) => uri === uriTemplate;
  return (uri) => uri.startsWith(prefix) && matchGaps(uri, prefix.length, gaps);
}

function matchGaps(uri: string, start: number, gaps: readonly Gap[]): boolean {
  let position = start;
  for (const [index, { literal, maySpanSlash }] of gaps.entries()) {
    const isLast = index === gaps.length - 1;
    const at = isLast ? uri.length - literal.length : uri.indexOf(literal, position);
    if (at < position || !uri.startsWith(literal, at)) return false;
    if (!maySpanSlash && uri.slice(position, at).includes("/")) return false;
    position = at + literal.length;
  }
  return position === uri.length;
}
