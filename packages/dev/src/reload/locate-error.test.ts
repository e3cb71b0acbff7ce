// The place of an error in the author's code.
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { locateError } from "./locate-error.ts";

const file = fileURLToPath(import.meta.url);

it("the place of an error is its first call in the author's files, with the text of that line", async () => {
  const stack = [
    "RangeError: too large",
    "    at check (file:///project/node_modules/checks/index.js:3:7)",
    `    at Object.handler (${file}:1:4)`,
    "    at async run (node:internal/process:5:1)",
    `    at file://${file}:2:1`,
  ].join("\n");
  const error = { name: "RangeError", message: "too large", stack };
  expect(
    await locateError(error, { files: [file], workingFolder: fileURLToPath(new URL(".", import.meta.url)) }),
  ).toEqual({
    text: "RangeError: too large",
    place: { file, line: 1, column: 4, lineText: "// The place of an error in the author's code." },
    trace: ["at Object.handler (locate-error.test.ts:1:4)", "at locate-error.test.ts:2:1"],
  });
});

it("an error outside of the author's files has no place", async () => {
  const error = { name: "Error", message: "x", stack: "Error: x\n    at a (/other/file.js:1:1)" };
  expect(await locateError(error, { files: [file] })).toEqual({ text: "Error: x", place: undefined, trace: [] });
});
