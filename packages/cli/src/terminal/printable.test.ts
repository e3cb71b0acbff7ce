import { expect, it } from "vitest";
import { toPrintable, toPrintableLine } from "./printable.ts";

it("control characters and changes of writing direction become visible", () => {
  expect(toPrintable("a\u001b[2Jb\u0007\u202ec\r\n\td\u009b")).toBe("a\\u001b[2Jb\\u0007\\u202ec\\u000d\n\td\\u009b");
});

it("letters of every language and emoji are unchanged", () => {
  const text = "λήθη, 忘川, 👩‍👩‍👧";
  expect(toPrintable(text)).toBe(text);
});

it("a name is printed on one line", () => {
  expect(toPrintableLine(" a\n b\tc\r\n")).toBe("a b c");
});

it("line separators, the Arabic letter mark and invisible tags become visible", () => {
  expect(toPrintable("a\u2028b\u061cc\u{e0041}")).toBe("a\\u2028b\\u061cc\\udb40\\udc41");
});

it("a value that is not a string is shown as JSON", () => {
  expect([5, null, { toString: 1 }, undefined].map(toPrintable)).toEqual(["5", "null", '{"toString":1}', "undefined"]);
  expect(toPrintableLine(["\u001b[2J\u009b"])).toBe('["\\u001b[2J\\u009b"]');
});
