import { findWorkersProblem } from "@lethe/server/workers";
import { expect, it } from "vitest";
import { parseWorkerCount } from "./worker-count.ts";

it.each(["auto", 1, 4, 256] as const)("reads %s workers", (workers) => {
  expect(parseWorkerCount(`${workers}`)).toBe(workers);
  expect(findWorkersProblem(workers)).toBeUndefined();
});

it.each(["", " ", "0", "257", "1.5", "many"])('refuses "%s" workers as `serve` does', (text) => {
  const problem = findWorkersProblem(Number(text));
  expect(problem).toBeDefined();
  expect(() => parseWorkerCount(text)).toThrow(`--workers ${problem}, got "${text}"`);
});
