// Errors for unknown and missing options.
import { expect, test } from "vitest";
import { checkOptions, type KnownOptions, pickOptions } from "./check-options.ts";

interface Options {
  handler: () => void;
  inputSchema?: object;
  port?: number;
  onError?: () => void;
  ttlMs?: number;
  annotations?: { readOnlyHint?: boolean };
  keys?: { id: string }[];
}

const known: KnownOptions<Options> = {
  handler: "a function",
  inputSchema: true,
  port: true,
  onError: "a function?",
  ttlMs: true,
  annotations: { readOnlyHint: true },
  keys: { id: "a string" },
};

const handler = (): void => {};

function errorOf(given: unknown): string {
  try {
    checkOptions("tool", given, known);
    return "none";
  } catch (error) {
    return (error as Error).message;
  }
}

test("accepts every known option, and undefined for an optional one", () => {
  expect(
    errorOf({ handler, inputSchema: {}, port: undefined, onError: undefined, annotations: {}, keys: [{ id: "a" }] }),
  ).toBe("none");
});

test.each([
  ["a misspelled option", { handler, prt: 1 }, 'tool: unknown option "prt"; did you mean "port"?'],
  [
    "the name of another library",
    { handler, parameters: {} },
    'unknown option "parameters"; did you mean "inputSchema"?',
  ],
  ["a missing unit", { handler, ttl: 1 }, 'unknown option "ttl"; did you mean "ttlMs"?'],
  ["an option of a nested object", { handler, readOnlyHint: true }, 'did you mean "annotations.readOnlyHint"?'],
  [
    "a misspelled nested option",
    { annotations: { readonlyhint: 1 } },
    '"annotations.readonlyhint"; did you mean "annotations.readOnlyHint"?',
  ],
  [
    "an option of the outer object",
    { annotations: { port: 1 } },
    'unknown option "annotations.port"; it belongs outside of "annotations"',
  ],
  [
    "an unknown member in a list",
    { keys: [{ id: "a" }, { id: "b", x: 1 }] },
    'unknown option "keys[1].x"; known are id',
  ],
  [
    "a name like no other",
    { handler, zzz: 1 },
    "known are annotations, handler, inputSchema, keys, onError, port, ttlMs",
  ],
  ["a name of Object.prototype", { handler, toString: 1 }, 'unknown option "toString"'],
])("rejects %s", (_what, given, message) => {
  expect(errorOf(given)).toContain(message);
});

test.each([
  ["no options", undefined, 'tool: an object with "handler" expected as options, got nothing'],
  ["a function instead of options", handler, 'tool: an object with "handler" expected as options, got a function'],
  ["a missing option", {}, 'tool: option "handler": a function expected, got nothing'],
  ["a value of another type", { handler: "x" }, 'tool: option "handler": a function expected, got a string'],
  [
    "an optional value of another type",
    { handler, onError: "x" },
    'tool: option "onError": a function expected, got a string',
  ],
  ["a missing member in a list", { handler, keys: [{}] }, 'tool: option "keys[0].id": a string expected, got nothing'],
])("rejects %s", (_what, given, message) => {
  expect(errorOf(given)).toBe(message);
});

test("shortens a long name and suggests nothing for it", () => {
  const message = errorOf({ handler, ["handler".repeat(1_000)]: 1 });
  expect(message).toMatch(/unknown option "(handler)+h…?/);
  expect(message.length).toBeLessThan(200);
});

test("takes an instance of a class for a value, not for options", () => {
  interface Target {
    at?: URL | { command: string };
  }
  const targets: KnownOptions<Target> = { at: { command: "a string" } };
  expect(() => checkOptions("f", { at: new URL("file:///a.js") }, targets)).not.toThrow();
  expect(() => checkOptions("f", { at: Object.assign(Object.create(null), { cmd: "a" }) }, targets)).toThrow("cmd");
});

test("accepts omitted options if none is required", () => {
  expect(() => checkOptions("f", undefined, { a: true } satisfies KnownOptions<{ a?: string }>)).not.toThrow();
});

test("picks the known options of an object", () => {
  expect(pickOptions<{ a?: number }>({ a: 1, b: 2 } as { a: number }, { a: true })).toEqual({ a: 1 });
});
