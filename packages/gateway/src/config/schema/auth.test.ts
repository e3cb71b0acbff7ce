// The keys of very many callers.
import { expect, test } from "vitest";
import { authSettings } from "./auth.ts";

test("a repeated key is found among 50,000 keys without a comparison of each with all others", () => {
  const keys = Array.from({ length: 50_000 }, (_, index) => ({
    id: `caller ${index}`,
    key: `key-of-the-caller-${index}`,
  }));
  const repeated = { id: "another caller", key: "key-of-the-caller-7" };
  const { error } = authSettings.safeParse({ keys: [...keys, repeated] });
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'must differ, got the same key for "another caller" again',
  ]);
});
