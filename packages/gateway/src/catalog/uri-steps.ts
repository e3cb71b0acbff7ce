// The rewrites that real servers apply to a URI before they open what it names. uri-readings.ts combines them.

/** Undefined: the text has no safe reading, for example because its escapes are not UTF-8. */
export type UriStep = (text: string) => string | undefined;

const escapes = /(?:%[\da-f]{2})+/gi;
const structural = /[%/\\?#]/g;
const structuralInQuery = /[%/\\?#&=+;]/g;

/**
 * Decodes the escapes that do not change how a URI splits into parts, as in `my%20secret` and `priv%C3%A9`. Escaped
 * separators stay escaped, in upper case.
 */
export const decodeHarmless: UriStep = (text) => {
  const query = text.indexOf("?");
  if (query === -1) return decodeExcept(text, structural);
  const path = decodeExcept(text.slice(0, query), structural);
  const rest = decodeExcept(text.slice(query), structuralInQuery);
  return path !== undefined && rest !== undefined ? path + rest : undefined;
};

function decodeExcept(text: string, kept: RegExp | undefined): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return text.replace(escapes, (run) => {
      const decoded = decodeURIComponent(run);
      return kept ? decoded.replace(kept, encodeURIComponent) : decoded;
    });
  } catch {
    return undefined;
  }
}

const decodeOnce: UriStep = (text) => decodeExcept(text, undefined);

const cutFragment: UriStep = (text) => cutAt(text, /#/);
const cutQuery: UriStep = (text) => cutAt(text, /[?#]/);

function cutAt(text: string, mark: RegExp): string {
  const at = text.search(mark);
  return at === -1 ? text : text.slice(0, at);
}

/** Windows, and the URL standard for `file:` and `http:`. */
const turnBackslashes: UriStep = (text) => text.replaceAll("\\", "/");

/** Form decoding, such as Python's `unquote_plus`. */
const turnPlus: UriStep = (text) => {
  const { scheme, slashes, rest } = split(text);
  return scheme + slashes + rest.replaceAll("+", " ");
};

const ignorable = /\p{Default_Ignorable_Code_Point}/gu;

/** Full-width letters, ligatures and zero-width characters become the text that they look like. */
export function toCompatible(text: string): string {
  return text.normalize("NFKC").replace(ignorable, "");
}

const trimSpace: UriStep = (text) => text.trim();

/** Windows ignores dots and spaces at the end of a name, and `::$DATA` names the file itself. */
const trimNames: UriStep = (text) => {
  const { scheme, slashes, rest } = split(text);
  return scheme + slashes + rest.split("/").map(trimName).join("/");
};

function trimName(name: string): string {
  const plain = name.replace(/::\$data$/i, "").trimEnd();
  if (plain === "." || plain === "..") return plain;
  let end = plain.length;
  while (end > 0 && (plain[end - 1] === "." || plain[end - 1] === " ")) end -= 1;
  return end === 0 ? name : plain.slice(0, end);
}

/** File systems treat repeated slashes as one. */
const mergeSlashes: UriStep = (text) => {
  const { scheme, slashes, rest } = split(text);
  return scheme + slashes + rest.replace(/\/{2,}/g, "/");
};

/** RFC 3986, 5.2.4: dot segments never remove the host. */
const resolveBelowHost: UriStep = (text) => {
  const { scheme, slashes, rest } = split(text);
  const hostEnd = slashes.length === 2 ? rest.search(/[/?#]/) : 0;
  if (hostEnd === -1) return text;
  const hasRoot = rest[hostEnd] === "/";
  const path = resolveDots(rest.slice(hasRoot ? hostEnd + 1 : hostEnd), true);
  return path === undefined ? undefined : scheme + slashes + rest.slice(0, hostEnd) + (hasRoot ? "/" : "") + path;
};

/** A server may take all text after `scheme://` for a path. `..` above its top leads to a folder that only the server knows. */
const resolveAsPath: UriStep = (text) => {
  const { scheme, slashes, rest } = split(text);
  const path = resolveDots(rest, false);
  return path === undefined ? undefined : scheme + slashes + path;
};

function resolveDots(path: string, staysBelowTop: boolean): string | undefined {
  if (!path.includes(".")) return path;
  const kept: string[] = [];
  const names = path.split("/");
  for (const name of names) {
    if (name === "..") {
      if (kept.length === 0 && !staysBelowTop) return undefined;
      kept.pop();
    } else if (name !== ".") kept.push(name);
  }
  const last = names.at(-1);
  if ((last === "." || last === "..") && kept.length > 0) kept.push("");
  return kept.join("/");
}

/** The URL standard, as in `new URL()`: hosts, ports and drive letters in their normal form. */
const parseAsUrl: UriStep = (text) => (URL.canParse(text) ? decodeHarmless(new URL(text).href) : text);

/** A server may accept a bare path as well. */
const takeForPath: UriStep = (text) => {
  if (text.startsWith("/")) return `file://${text}`;
  return /^[a-z]:[/\\]/i.test(text) ? `file:///${text}` : text;
};

export const uriSteps: readonly UriStep[] = [
  ...[decodeOnce, cutFragment, cutQuery, turnBackslashes, turnPlus, toCompatible, trimSpace, trimNames],
  ...[mergeSlashes, resolveBelowHost, resolveAsPath, parseAsUrl, takeForPath],
];

interface Split {
  /** With its colon; empty where there is none. */
  scheme: string;
  slashes: string;
  rest: string;
}

function split(text: string): Split {
  const [head = "", scheme = ""] = /^([a-z][a-z\d+.-]*:)?\/*/.exec(text) ?? [];
  return { scheme, slashes: head.slice(scheme.length), rest: text.slice(head.length) };
}
