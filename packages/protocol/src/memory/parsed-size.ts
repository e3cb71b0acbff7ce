// Estimates the memory and depth of a JSON text once parsed: 16 MiB of `{},{},…` become 350 MB of objects.

/** The measures of a JSON text. */
export interface JsonMeasure {
  /** The estimated memory of the parsed value, correct within a small factor. */
  readonly parsedBytes: number;
  /** Nested levels of arrays and objects. Correct for valid JSON only. */
  readonly depth: number;
}

/** Bytes, by kind of value, as V8 stores them. */
const perObject = 56;
const perArray = 32;
const perString = 24;
const perMember = 32;
const perItem = 12;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Scans the text once without parsing it, in about a quarter of the time of parsing. */
export function measureJson(json: string): JsonMeasure {
  let bytes = json.length;
  let open = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case quote:
        bytes += perString;
        at = endOfString(json, at + 1);
        break;
      case comma:
        bytes += perItem;
        break;
      case colon:
        bytes += perMember;
        break;
      case openBracket:
        bytes += perArray;
        open += 1;
        if (open > depth) depth = open;
        break;
      case openBrace:
        bytes += perObject;
        open += 1;
        if (open > depth) depth = open;
        break;
      case closeBracket:
      case closeBrace:
        open -= 1;
        break;
      default: // Digits, literals and white space.
    }
  }
  return { parsedBytes: bytes, depth };
}

/** The index of the closing quote, or the end of the text if there is none. */
function endOfString(json: string, from: number): number {
  let end = json.indexOf('"', from);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, place: number): boolean {
  let slashes = 0;
  while (json.charCodeAt(place - 1 - slashes) === backslash) slashes += 1;
  return slashes % 2 === 1;
}
