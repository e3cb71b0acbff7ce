import { expect, it } from "vitest";
import { parseWorkerCount } from "./worker-count.ts";

it("reads a number of workers", () => {
  expect(parseWorkerCount("4")).toBe(4);
  expect(parseWorkerCount("auto")).toBe("auto");
});

it.each(["", " ", "0", "257", "1.5", "many"])('refuses "%s" workers', (text) => {
  expect(() => parseWorkerCount(text)).toThrow(
    `--workers must be "auto" or a whole number from 1 to 256, got "${text}"`,
  );
});
