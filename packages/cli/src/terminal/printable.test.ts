import { expect, it } from "vitest";
import { toPrintable, toPrintableLine } from "./printable.ts";

it("control characters and changes of writing direction become visible", () => {
  expect(toPrintable("a\u001b[2Jb\u0007\u202ec\r\n\td\u009b")).toBe("a\\u001b[2Jb\\u0007\\u202ec\\u000d\n\td\\u009b");
});

it("letters of every language and emoji stay as they are", () => {
  const text = "λήθη, 忘川, 👩‍👩‍👧";
  expect(toPrintable(text)).toBe(text);
});

it("a name is one line", () => {
  expect(toPrintableLine(" a\n b\tc\r\n")).toBe("a b c");
});
