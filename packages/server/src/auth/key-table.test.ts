// Which caller a key belongs to.
import { expect, test } from "vitest";
import { KeyTable } from "./key-table.ts";

const entries = Array.from({ length: 3_000 }, (_, index) => ({
  key: `key-${index}-of-several-thousand`,
  caller: { id: `caller ${index}` },
}));

test("finds the caller of each of many keys", () => {
  const table = new KeyTable(entries);
  expect(entries.filter(({ key, caller }) => table.find(key) !== caller)).toEqual([]);
});

test("finds no caller for a part of a key, a longer text, other text of the same length, or nothing", () => {
  const table = new KeyTable(entries);
  const wrong = entries.flatMap(({ key }) => [
    key.slice(0, -1),
    key.slice(1),
    `${key}x`,
    `${key}${key}`,
    `x${key.slice(1)}`,
  ]);
  expect(["", ...wrong].filter((token) => table.find(token) !== undefined)).toEqual([]);
});

test("compares a token with the keys of its fingerprint, and with no others", () => {
  const asked: string[] = [];
  const table = new KeyTable(entries.slice(0, 3), (text) => {
    asked.push(text);
    return text === "key-1-of-several-thousand" ? 1 : 2;
  });
  expect(entries.slice(0, 3).map(({ key }) => table.find(key)?.id)).toEqual(["caller 0", "caller 1", "caller 2"]);
  expect(asked).toHaveLength(6);
  const moved = new KeyTable(entries.slice(0, 1), () => asked.push(""));
  expect(moved.find("key-0-of-several-thousand")).toBeUndefined();
});

test("finds nothing in an empty table", () => {
  expect(new KeyTable([]).find("")).toBeUndefined();
});
