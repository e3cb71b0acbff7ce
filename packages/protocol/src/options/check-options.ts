// Rejects unknown and missing options when something is defined, in JavaScript and TypeScript.
import { isJsonObject, nameOf } from "../jsonrpc/message.ts";
import { otherNames } from "./other-names.ts";
import { suggest } from "./suggest.ts";

/** What an option must be. */
type Expectation = "a function" | "a string" | "a number" | "an array" | "an object" | "a value";

/** What an option must be unless it is left out. */
type OptionalExpectation = `${Expectation}?`;

/** `true`: any value. */
type OptionRule = true | Expectation | OptionalExpectation | { readonly [name: string]: OptionRule };

/** Members under symbols carry types only. */
type OptionOf<T> = T extends unknown ? Exclude<keyof T, symbol> : never;

/**
 * Every option of T by name, which the compiler compares with the type: what a required option must be; what an optional one must be,
 * with a question mark, or `true` for any value; or the options of an object or of each object of an array.
 */
export type KnownOptions<T> = {
  readonly [Name in OptionOf<T>]-?: [T] extends [{ [Required in Name]: unknown }]
    ? Exclude<OptionRule, true | OptionalExpectation>
    : Exclude<OptionRule, Expectation>;
};

type Known = { readonly [name: string]: OptionRule };

/**
 * Throws an Error that names `place` and the first unknown, missing or unfit option, also of nested objects, and what was probably meant.
 * `given` is undefined for omitted options.
 */
export function checkOptions<T>(place: string, given: unknown, known: KnownOptions<T>): void {
  const rules: Known = known;
  if (given === undefined || !isJsonObject(given)) {
    const required = Object.keys(rules).filter((name) => isRequired(rules[name]));
    if (given === undefined && required.length === 0) return;
    const content = required.length > 0 ? ` with ${required.map((name) => `"${name}"`).join(" and ")}` : "";
    throw new Error(`${place}: an object${content} expected as options, got ${nameOf(given)}`);
  }
  checkNames(place, given, { known: rules, prefix: "", parent: undefined });
  checkRequired(place, given, { known: rules, prefix: "" });
}

/** The options whose names are known, to pass them on to a function that checks them. */
export function pickOptions<T extends object>(options: T, known: KnownOptions<T>): T {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(known, name))) as T;
}

interface Level {
  readonly known: Known;
  /** The path of this object in the options, with a dot at its end. */
  readonly prefix: string;
}

interface NameLevel extends Level {
  readonly parent: Known | undefined;
}

function checkNames(place: string, given: object, level: NameLevel): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(level.known, name) ? level.known[name] : undefined;
    if (rule === undefined)
      throw new Error(`${place}: unknown option ${quote(level.prefix + name)}; ${hintFor(name, level)}`);
    for (const inner of innerObjects(value, rule)) {
      checkNames(place, inner.given, { ...inner, prefix: level.prefix + name + inner.suffix, parent: level.known });
    }
  }
}

function checkRequired(place: string, given: object, { known, prefix }: Level): void {
  for (const [name, rule] of Object.entries(known)) {
    const value = (given as { [name: string]: unknown })[name];
    if (typeof rule === "string" && (value !== undefined || isRequired(rule))) {
      const expected = rule.replace(/\?$/, "") as Expectation;
      if (!isAsExpected(value, expected)) {
        throw new Error(`${place}: option ${quote(prefix + name)}: ${expected} expected, got ${nameOf(value)}`);
      }
    }
    for (const inner of innerObjects(value, rule)) {
      checkRequired(place, inner.given, { ...inner, prefix: prefix + name + inner.suffix });
    }
  }
}

/** The objects in the value of an option whose names are known. */
function innerObjects(value: unknown, rule: OptionRule): { given: object; known: Known; suffix: string }[] {
  if (typeof rule !== "object") return [];
  if (!Array.isArray(value)) return isPlain(value) ? [{ given: value, known: rule, suffix: "." }] : [];
  return value.flatMap((item, index) => (isPlain(item) ? [{ given: item, known: rule, suffix: `[${index}].` }] : []));
}

/** An instance of a class, such as a URL, is a value and has no options. */
function isPlain(value: unknown): value is object {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A plain object of another realm has a prototype that is not this realm's.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function hintFor(name: string, { known, prefix, parent }: NameLevel): string {
  const names = Object.keys(known);
  const translated = otherNames.get(name)?.find((other) => Object.hasOwn(known, other));
  if (translated !== undefined) return `did you mean "${prefix}${translated}"?`;
  const holder = names.find((other) => isRuleOf(known[other], name));
  if (holder !== undefined) return `did you mean "${prefix}${holder}.${name}"?`;
  const meant = suggest(name, names);
  if (meant !== undefined) return `did you mean "${prefix}${meant}"?`;
  if (parent && Object.hasOwn(parent, name)) return `it belongs outside of "${prefix.slice(0, -1)}"`;
  return `known are ${names.sort().join(", ")}`;
}

function isRuleOf(rule: OptionRule | undefined, name: string): boolean {
  return typeof rule === "object" && Object.hasOwn(rule, name);
}

function isRequired(rule: OptionRule | undefined): boolean {
  return typeof rule === "string" && !rule.endsWith("?");
}

function isAsExpected(value: unknown, expectation: Expectation): boolean {
  if (expectation === "a value") return value !== undefined;
  if (expectation === "an array") return Array.isArray(value);
  if (expectation === "an object") return typeof value === "object" && value !== null;
  return `a ${typeof value}` === expectation;
}

const maxQuoted = 60;

function quote(name: string): string {
  return JSON.stringify(name.length > maxQuoted ? `${name.slice(0, maxQuoted)}…` : name);
}
