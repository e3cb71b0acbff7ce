// Reads a value of a configuration file by its schema: replaces variables, registers secrets, and records every error with its place.
import { isJsonObject, suggest } from "@lethe/protocol";
import type { z } from "zod";
import { knownKeysAt, optionsOf, schemaAt } from "./schema/schema-walk.ts";
import { secretTexts, type Value } from "./schema/values.ts";
import type { Path, SourceFile } from "./source-file.ts";

export interface ReadContext {
  readonly file: SourceFile;
  /** Replaces `${…}` by its value, or throws an Error that says what is missing. */
  expand(text: string): string;
  onProblem(problem: string): void;
  /** Called with each value that must not appear in logs and responses, whether it is valid or not. */
  onSecret(value: string): void;
}

/** Returns undefined for an invalid value. All of its errors are recorded. */
export function readValue<T>(schema: Value<T>, given: unknown, path: Path, context: ReadContext): T | undefined {
  const unset: Path[] = [];
  const expanded = expandIn(schema, given, [], {
    expand: context.expand,
    onSecret: context.onSecret,
    onUnset(at, problem) {
      unset.push(at);
      recordProblem([...path, ...at], problem, context);
    },
  });
  const parsed = schema.safeParse(expanded);
  if (!parsed.success) {
    for (const { at, problem } of problemsOf(schema, expanded, parsed.error.issues)) {
      if (!unset.some((place) => startsWith(at, place))) recordProblem([...path, ...at], problem, context);
    }
  }
  return parsed.success && unset.length === 0 ? parsed.data : undefined;
}

/** Records a problem of the value at a path. */
export function recordProblem(at: Path, problem: string, { file, onProblem }: ReadContext): void {
  onProblem(`${file.placeOf(at)}: ${keyOf(at)}${at.length > 0 ? " " : ""}${problem}`);
}

/** `a.args[0]` */
export function keyOf(path: Path): string {
  return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index > 0 ? `.${step}` : step)).join("");
}

interface Expansion extends Pick<ReadContext, "expand" | "onSecret"> {
  onUnset(at: Path, problem: string): void;
}

/** Replaces the variables in every text that the schema knows. */
function expandIn(schema: z.core.$ZodType, given: unknown, at: Path, expansion: Expansion): unknown {
  if (typeof given === "string") return expandText(schema, given, at, expansion);
  const expandMember = (member: unknown, key: string | number): unknown => {
    const known = schemaAt(schema, key);
    return known ? expandIn(known, member, [...at, key], expansion) : member;
  };
  if (Array.isArray(given)) return given.map(expandMember);
  if (!isJsonObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([key, member]) => [key, expandMember(member, key)]));
}

function expandText(schema: z.core.$ZodType, given: string, at: Path, { expand, ...to }: Expansion): string {
  try {
    const text = expand(given);
    for (const option of optionsOf(schema)) {
      for (const secret of secretTexts.get(option)?.secretsIn(text) ?? []) to.onSecret(secret);
    }
    return text;
  } catch (error) {
    to.onUnset(at, (error as Error).message);
    return given;
  }
}

interface Problem {
  readonly at: Path;
  readonly problem: string;
}

function problemsOf(schema: z.core.$ZodType, given: unknown, issues: readonly z.core.$ZodIssue[]): Problem[] {
  return issues.flatMap((issue) => {
    const at = issue.path as Path;
    if (issue.code === "unrecognized_keys") {
      const known = knownKeysAt(schema, at);
      return issue.keys.map((key) => ({ at: [...at, key], problem: toUnknownText(key, known) }));
    }
    if (issue.code !== "invalid_union") return { at, problem: issue.message };
    const value = valueAt(given, at);
    const branch = issue.errors[typeof value === "string" ? 0 : isJsonObject(value) ? 1 : -1];
    // Branches of a union other than `either` all have the error of the union.
    if (!branch || branch.every(({ code, path }) => code === "invalid_type" && path.length === 0)) {
      return { at, problem: issue.message };
    }
    const [textual, structured] = optionsOf(schemaOf(schema, at));
    const chosen = (typeof value === "string" ? textual : structured) ?? schema;
    return problemsOf(chosen, value, branch).map((inner) => ({ ...inner, at: [...at, ...inner.at] }));
  });
}

function schemaOf(schema: z.core.$ZodType, at: Path): z.core.$ZodType {
  return at.reduce<z.core.$ZodType>((known, key) => schemaAt(known, key) ?? known, schema);
}

function valueAt(given: unknown, at: Path): unknown {
  return at.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], given);
}

function toUnknownText(key: string, known: readonly string[]): string {
  const meant = suggest(key, known);
  return meant ? `is not known; did you mean "${meant}"?` : `is not known; known are ${known.toSorted().join(", ")}`;
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((step, index) => path[index] === step);
}
