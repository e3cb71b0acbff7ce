// Reads typed members of an object in a configuration file. An error is recorded with its position, and the member counts as
// absent, so that one run finds every error.
import { isJsonObject, type JsonObject, nameOf, suggest } from "@lethe/protocol";
import type { Path, SourceFile } from "./source-file.ts";

export interface ReadContext {
  readonly file: SourceFile;
  /** Replaces `${…}` by its value, or throws an Error that says what is missing. */
  expand(text: string): string;
  onProblem(problem: string): void;
}

/** Each reader returns undefined for a member that is absent or invalid. */
export interface Section {
  readonly path: Path;
  /** The keys in the order of the file. */
  readonly names: readonly string[];
  has(member: string): boolean;
  /** Whether the member is text, for members that may be something else. */
  isText(member: string): boolean;
  text(member: string): string | undefined;
  /** Like `text`, but an absent member is an error. */
  requiredText(member: string): string | undefined;
  url(member: string): string | undefined;
  texts(member: string): string[] | undefined;
  textMap(member: string): Record<string, string> | undefined;
  /** A string, or a number as a string. null counts as absent. */
  scalar(member: string): string | undefined;
  flag(member: string): boolean | undefined;
  /** A number above 0. */
  number(member: string): number | undefined;
  /** A whole number of at least `min`. */
  whole(member: string, min?: number, max?: number): number | undefined;
  /** A time in ms, within the range of a timer. */
  milliseconds(member: string, min: number): number | undefined;
  choice<T extends string>(member: string, choices: readonly T[]): T | undefined;
  section(member: string): Section | undefined;
  /** An array of objects. */
  sections(member: string): Section[] | undefined;
  /** An object whose members are objects. */
  namedSections(member: string): Map<string, Section> | undefined;
  /** Records an error about the section, a member, or a path inside of it. */
  fail(at: string | Path | undefined, problem: string): void;
  /** Records an error for each member that was not read. */
  rejectOthers(): void;
}

/** Timers treat a longer delay as none. */
const longestDelayMs = 2 ** 31 - 1;

export function createSection(value: JsonObject, path: Path, context: ReadContext): Section {
  const { file, expand, onProblem } = context;
  const readNames = new Set<string>();

  function failAt(at: Path, problem: string): undefined {
    onProblem(`${file.placeOf(at)}: ${keyOf(at)}${at.length > 0 ? " " : ""}${problem}`);
  }

  const expect = (at: Path, what: string, got: unknown): undefined => failAt(at, `must be ${what}, got ${nameOf(got)}`);

  function read<T>(member: string, parse: (value: unknown, at: Path) => T | undefined): T | undefined {
    readNames.add(member);
    const given = value[member];
    return given === undefined ? undefined : parse(given, [...path, member]);
  }

  function parseText(given: unknown, at: Path): string | undefined {
    if (typeof given !== "string") return expect(at, "a string", given);
    try {
      return expand(given);
    } catch (error) {
      return failAt(at, (error as Error).message);
    }
  }

  function parseTexts(given: unknown, at: Path): string[] | undefined {
    if (!Array.isArray(given)) return expect(at, "an array of strings", given);
    return given.map((item, index) => parseText(item, [...at, index])).filter(isDefined);
  }

  function parseTextMap(given: unknown, at: Path): Record<string, string> | undefined {
    if (!isJsonObject(given)) return expect(at, "an object", given);
    return Object.fromEntries(parseMembers(given, at, parseText));
  }

  function readWhole(member: string, min = 0, max = Number.MAX_SAFE_INTEGER): number | undefined {
    return read(member, (given, at) => {
      if (Number.isInteger(given) && (given as number) >= min && (given as number) <= max) return given as number;
      return failAt(at, `must be a whole number ${toRange(min, max)}, got ${toNumberText(given)}`);
    });
  }

  function parseUrl(given: unknown, at: Path): string | undefined {
    const text = parseText(given, at);
    if (text === undefined || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))) return text;
    return failAt(at, `must be an http or https URL, got "${text}"`);
  }

  function parseSection(given: unknown, at: Path): Section | undefined {
    return isJsonObject(given) ? createSection(given, at, context) : expect(at, "an object", given);
  }

  return {
    ...{ path, names: Object.keys(value) },
    has: (member) => value[member] !== undefined,
    isText: (member) => typeof value[member] === "string",
    text: (member) => read(member, parseText),
    requiredText(member) {
      if (value[member] === undefined) return expect([...path, member], "a string", undefined);
      return read(member, parseText);
    },
    url: (member) => read(member, parseUrl),
    texts: (member) => read(member, parseTexts),
    textMap: (member) => read(member, parseTextMap),
    scalar: (member) =>
      read(member, (given, at) => {
        return given === null ? undefined : parseText(typeof given === "number" ? String(given) : given, at);
      }),
    number: (member) =>
      read(member, (given, at) => {
        if (typeof given === "number" && given > 0) return given;
        return failAt(at, `must be a number above 0, got ${toNumberText(given)}`);
      }),
    flag: (member) =>
      read(member, (given, at) => (typeof given === "boolean" ? given : expect(at, "true or false", given))),
    whole: readWhole,
    milliseconds: (member, min) => readWhole(member, min, longestDelayMs),
    choice: <T extends string>(member: string, choices: readonly T[]) =>
      read(member, (given, at) => {
        const text = parseText(given, at);
        if (text === undefined || choices.includes(text as T)) return text as T | undefined;
        return failAt(at, `must be ${choices.map((choice) => `"${choice}"`).join(" or ")}, got "${text}"`);
      }),
    section: (member) => read(member, parseSection),
    sections: (member) =>
      read(member, (given, at) => {
        if (!Array.isArray(given)) return expect(at, "an array of objects", given);
        return given.map((item, index) => parseSection(item, [...at, index])).filter(isDefined);
      }),
    namedSections: (member) =>
      read(member, (given, at) => {
        if (!isJsonObject(given)) return expect(at, "an object", given);
        return new Map(parseMembers(given, at, parseSection));
      }),
    fail: (at = [], problem) => void failAt([...path, ...(typeof at === "string" ? [at] : at)], problem),
    rejectOthers() {
      for (const member of Object.keys(value)) {
        if (!readNames.has(member)) failAt([...path, member], toUnknownText(member, readNames));
      }
    },
  };
}

/** `a.args[0]` */
export function keyOf(path: Path): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index > 0 ? `.${step}` : step)).join("");
}

function listOf(names: Iterable<string>): string {
  return `known are ${[...names].sort().join(", ")}`;
}

/** Parses each member of an object, and leaves out those with an error. */
function parseMembers<T>(
  given: JsonObject,
  at: Path,
  parse: (value: unknown, at: Path) => T | undefined,
): [name: string, parsed: T][] {
  const pairs = Object.entries(given).map(([name, item]) => [name, parse(item, [...at, name])] as const);
  return pairs.filter((pair): pair is [string, T] => pair[1] !== undefined);
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function toRange(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
}

function toNumberText(given: unknown): string {
  return typeof given === "number" ? String(given) : nameOf(given);
}

function toUnknownText(member: string, readNames: ReadonlySet<string>): string {
  const meant = suggest(member, readNames);
  return meant ? `is not known; did you mean "${meant}"?` : `is not known; ${listOf(readNames)}`;
}
