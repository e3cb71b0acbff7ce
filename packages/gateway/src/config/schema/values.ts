// The kinds of values in a configuration file, each with the error for anything else: what was expected, and what came.
import { isProtocolHeader } from "@lethe/client/edge";
import { isJsonObject, nameOf } from "@lethe/protocol";
import { z } from "zod";

/** What the JSON Schema and the reference say about a key, besides its type. */
export interface Annotations {
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** A schema whose input is what its output is, in JSON. */
export type Value<T> = z.ZodType<T>;

/** A key that may be left out. */
export function optional<T>(
  value: Value<T>,
  description: string,
  { examples, ...more }: Annotations = {},
): z.ZodExactOptional<Value<T>> {
  return z.exactOptional(value.meta({ description, ...more, ...(examples && { examples: [...examples] }) }));
}

/** A key that must be there. */
export function required<T>(value: Value<T>, description: string, { examples = [] }: Annotations = {}): Value<T> {
  return value.meta({ description, examples: [...examples] });
}

export const text: z.ZodString = z.string(mustBe("a string"));
export const texts: z.ZodArray<z.ZodString> = z.array(text, mustBe("an array of strings"));
export const flag: z.ZodBoolean = z.boolean(mustBe("true or false"));
export const positive: z.ZodNumber = z.number(mustBe("a number above 0", toNumberText)).gt(0);

export const url: z.ZodString = text.refine(isHttpUrl, quoted("must be an http or https URL")).meta({ format: "uri" });

/** A whole number. */
export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): z.ZodNumber {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = mustBe(`a whole number ${range}`, toNumberText);
  return z.number(error).int(error).min(min, error).max(max, error);
}

/** A whole number, or a word instead. */
export function wholeOr<const Word extends string>(number: z.ZodNumber, word: Word): Value<number | Word> {
  const { minValue, maxValue } = number;
  const wanted = mustBe(`"${word}" or a whole number from ${minValue} to ${maxValue}`, toNumberText);
  return z.union([number, z.enum([word])], wanted) as Value<number | Word>;
}

/** Timers treat a longer delay as none. */
const longestDelayMs = 2 ** 31 - 1;

/** A time in ms, within the range of a timer. */
export function milliseconds(min: number): z.ZodNumber {
  return whole(min, longestDelayMs);
}

export function choice<const T extends string>(...choices: readonly T[]): z.ZodEnum<{ [K in T]: K }> {
  const wanted = choices.map((name) => `"${name}"`).join(" or ");
  return z.enum(choices, mustBe(wanted, toTextOrName)) as z.ZodEnum<{ [K in T]: K }>;
}

/** Text of a pattern. `what` ends the sentence "must be …". */
export function textLike(pattern: RegExp, what: string): z.ZodString {
  return text.regex(pattern, quoted(`must be ${what}`));
}

/** An array. `items` names the kind of its items. */
export function list<T>(item: Value<T>, items = "objects"): z.ZodArray<Value<T>> {
  return z.array(item, mustBe(`an array of ${items}`));
}

/** One of two kinds, which text and objects tell apart. */
export function either<A, B>(textual: Value<A>, structured: Value<B>): z.ZodUnion<[Value<A>, Value<B>]> {
  return z.union([textual, structured], mustBe("a string or an object"));
}

type Shape = Readonly<Record<string, z.ZodType>>;

/** An object with these keys and no others. The reader adds the known keys to the error for an unknown one. */
export function section<S extends Shape>(shape: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "invalid_type" ? toError("an object")(issue) : undefined),
  });
}

/** An object that may have further keys, which are ignored. */
export function openSection<S extends Shape>(shape: S): z.ZodObject<S, z.core.$loose> {
  return z.looseObject(shape, mustBe("an object"));
}

/** An object whose keys are names. A Map inside, because a record of zod leaves out the name `__proto__`. */
export function named<T>(value: Value<T>): Value<Readonly<Record<string, T>>> {
  const map = z.map(z.string(), value, mustBe("an object"));
  map._zod.processJSONSchema = (context, json, { path, ...params }) => {
    const inner = { ...params, path: [...path, "additionalProperties"] };
    Object.assign(json, { type: "object", additionalProperties: z.core.process(value, context, inner) });
  };
  return z
    .preprocess((given) => (isJsonObject(given) ? new Map(Object.entries(given)) : given), map)
    .transform((entries) => Object.fromEntries(entries));
}

/** Values that must not appear in logs and responses, by the text that contains them. */
export const secretTexts: z.core.$ZodRegistry<{ secretsIn(text: string): readonly string[] }> = z.registry();

/** Text that is or contains a secret. Default: the whole text is. */
export function secret<T extends z.ZodType<string>>(
  value: T,
  secretsIn: (text: string) => readonly string[] = (whole) => [whole],
): T {
  const own = value.clone() as T;
  secretTexts.add(own, { secretsIn });
  return own;
}

/** The value of a header without the name of its scheme. */
export function secretOfHeader(value: string): string {
  return value.replace(/^(?:Bearer|Basic|Token) +/i, "");
}

const headerValue = secret(text, (value) => [secretOfHeader(value)]);

/** Headers of requests to an upstream. */
export const headers: Value<Readonly<Record<string, string>>> = named(headerValue).superRefine((given, context) => {
  for (const name of Object.keys(given).filter(isProtocolHeader)) {
    context.addIssue({ code: "custom", path: [name], message: "must not be set: the protocol sets this header" });
  }
});

/** An error that says what was expected and what came. */
export function mustBe(what: string, show: (given: unknown) => string = nameOf): { error: z.core.$ZodErrorMap } {
  return { error: toError(what, show) };
}

/** An error that quotes the text that came. */
export function quoted(problem: string): { error: z.core.$ZodErrorMap } {
  return { error: ({ input }) => `${problem}, got "${String(input)}"` };
}

function toError(what: string, show: (given: unknown) => string = nameOf): z.core.$ZodErrorMap {
  return ({ input }) => `must be ${what}, got ${show(input)}`;
}

function toNumberText(given: unknown): string {
  return typeof given === "number" ? String(given) : nameOf(given);
}

function toTextOrName(given: unknown): string {
  return typeof given === "string" ? `"${given}"` : nameOf(given);
}

function isHttpUrl(given: string): boolean {
  return URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
}
