// An editor shows a text for every exported name and every option.
import { expect, test } from "vitest";
import { readHoverTexts } from "./hover-texts.ts";

test("every exported name and every member of options has a text that editors show", { timeout: 180_000 }, () => {
  const { count, missing } = readHoverTexts();
  expect(count).toBeGreaterThan(1_000);
  // Write a doc comment: what it is for, its unit and default, and its errors.
  expect(missing).toEqual([]);
});
