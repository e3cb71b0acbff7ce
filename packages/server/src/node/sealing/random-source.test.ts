import { expect, test } from "vitest";
import { createRandomSource } from "./random-source.ts";

test("no random value is given twice, also when the bytes that were asked for at once are used up", () => {
  const next = createRandomSource(12);
  const values = new Set<string>();
  for (let count = 0; count < 2_000; count += 1) {
    const value = next();
    expect(value).toHaveLength(12);
    values.add(Buffer.from(value).toString("hex"));
  }
  expect(values.size).toBe(2_000);
});
