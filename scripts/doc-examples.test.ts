import { expect, test } from "vitest";
import { examplesIn, withVerification } from "./doc-examples.ts";

const source = `/**
 * Adds two numbers.
 *
 * @example
 * import { add } from "a";
 *
 * console.log(add(1, 2)); // 3
 */
export function add(a: number, b: number): number {
  return a + b;
}
/** Has no example. */
export function subtract(): void {}
`;

test("an example is the code between its tag and the end of the comment", () => {
  const code = 'import { add } from "a";\n\nconsole.log(add(1, 2)); // 3\n';
  expect(examplesIn(source, "a.ts")).toEqual([{ name: "add", file: "a.ts", code }]);
});

test("a comment behind console.log becomes the expected output", () => {
  expect(withVerification("console.log(add(1, 2)); // 3\nconsole.log(1);\n")).toBe(
    'verify("3", add(1, 2));\nconsole.log(1);\n',
  );
});
