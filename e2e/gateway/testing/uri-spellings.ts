// Spellings of URIs, generated from file names with tricks that bypass rules about text.
import fc from "fast-check";

type Trick = (uri: string, place: number, choice: number) => string;

const encoded = (text: string) =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const pick = (from: readonly string[], choice: number): string => from[choice % from.length] ?? "";

/** Replaces one occurrence of `wanted`. */
function replaceOne(uri: string, wanted: RegExp, place: number, by: (found: string) => string): string {
  const found = [...uri.matchAll(wanted)];
  const match = found[place % Math.max(found.length, 1)];
  if (!match) return uri;
  return uri.slice(0, match.index) + by(match[0]) + uri.slice(match.index + match[0].length);
}

const steps = ["/", "//", "/./", "/pub/../", "/private/../", "/nowhere/../", "//x/../", "/pub/deep/../../", "///"];
const hidden = [
  "%2f",
  "%2F",
  "\\",
  "%5c",
  "%252f",
  "／",
  "%ef%bc%8f",
  "/%2e/",
  "/pub/%2e%2e/",
  "/pub/..%2f",
  "\\..\\pub\\..\\",
];
const ends = [
  "/",
  "/.",
  ".",
  " ",
  "%20",
  "?x",
  "#x",
  "?../x",
  "%3Fx",
  "%23x",
  "//",
  "/x/..",
  "%00",
  "\t",
  "::$DATA",
  ";v=1",
];
const insertions = ["\t", "\n", "\u200b", "\u00ad", "%0a", "%00", "%", "\u0301"];
const prefixes = [
  "file:///",
  "file:/",
  "FILE:///",
  "file://localhost/",
  "File://LOCALHOST/",
  "file:////",
  "file:",
  "file://",
];
const hosts = [
  "file://./",
  "file://pub/../",
  "file://x/",
  "file://%6cocalhost/",
  "file:\\\\\\",
  " file:///",
  "file://127.0.0.1/",
];

const tricks: readonly Trick[] = [
  (uri, place, choice) => replaceOne(uri, /(?<=[^:/])\//g, place, () => pick(steps, choice)),
  (uri, place, choice) => replaceOne(uri, /(?<=[^:/])\//g, place, () => pick(hidden, choice)),
  (uri, place) => replaceOne(uri, /(?<=:\/{2,}.*)[^/%]/gu, place, encoded),
  (uri, place) => replaceOne(uri, /(?<=:\/{2,}.*)[^/%]/gu, place, (found) => encoded(found).toUpperCase()),
  (uri, place) => replaceOne(uri, /%(?=[\da-f]{2})/gi, place, () => "%25"),
  (uri, place) => replaceOne(uri, /%[\da-f]{2}/gi, place, (found) => found.toLowerCase()),
  (uri, place) => replaceOne(uri, /(?:%[\da-f]{2})+/gi, place, (found) => decode(found)),
  (uri, _place, choice) => uri + pick(ends, choice),
  (uri, place, choice) => replaceOne(uri, /(?<=[a-z])(?=[a-z.])/g, place, () => pick(insertions, choice)),
  (uri) => uri.normalize("NFD"),
  (uri, place) =>
    replaceOne(uri, /(?<=:\/{2,}.*)[!-.0-~]/g, place, (found) => String.fromCharCode(found.charCodeAt(0) + 0xfee0)),
  (uri, place) => replaceOne(uri, /[a-z]/g, place, (found) => found.toUpperCase()),
  (uri, place) => replaceOne(uri, / |%20/g, place, () => "+"),
  (uri, _place, choice) => uri.replace(/^file:\/*/i, () => pick(prefixes, choice)),
  (uri, _place, choice) => uri.replace(/^file:\/*/i, () => pick(hosts, choice)),
  (uri, _place, choice) =>
    uri.replace(/^notes:\/*/i, () => pick(["notes:///", "NOTES://", "notes://pub/../", "notes://x/../../"], choice)),
  // Relative to the folder of the files.
  (uri, _place, choice) =>
    uri.replace(/^file:\/\/\/.*lethe-uris-[^/]*\//, () => pick(["file://", "file:", "file://./"], choice)),
];

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** URIs of the files below a prefix, each changed by up to five tricks. */
export function spellings(prefix: string, names: readonly string[]): fc.Arbitrary<string> {
  const trick = fc.tuple(fc.nat(tricks.length - 1), fc.nat(10_000), fc.nat(10_000));
  const name = fc.constantFrom(...names);
  // Percent signs and separators in a name have to be escaped first; other characters need not be.
  const unescaped = fc.constantFrom(/[%?#\\]/g, /[%?#\\]/g, /[^\w./-]/gu, /[%]/g, /(?!)/g);
  const detour = fc.constantFrom("", "", "", "pub/../", "./", "pub/..%2f", "pub/%2e%2e/", "pub/deep/../..//");
  return fc
    .tuple(name, unescaped, detour, fc.array(trick, { maxLength: 5 }))
    .map(([file, unsafe, way, chosen]) =>
      chosen.reduce(
        (uri, [index, place, choice]) => tricks[index]?.(uri, place, choice) ?? uri,
        prefix + way + file.replace(unsafe, encoded),
      ),
    );
}
