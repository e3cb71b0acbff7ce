import { expect, it } from "vitest";
import { createProgressLine } from "./progress-line.ts";

function write(terminal: { isTTY?: boolean; columns?: number }, ...texts: string[]): string {
  const written: string[] = [];
  const line = createProgressLine({ ...terminal, write: (text) => written.push(text) });
  for (const text of texts) line.show(text);
  line.clear();
  return written.join("");
}

it("progress stays on one line and disappears afterwards", () => {
  expect(write({ isTTY: true, columns: 10 }, "a\nb\u001b[2J", "0123456789")).toBe(
    "\r\u001b[2Ka b [2J\r\u001b[2K012345678\r\u001b[2K",
  );
});

it("progress is not printed to a log", () => {
  expect(write({}, "a", "b")).toBe("");
});
