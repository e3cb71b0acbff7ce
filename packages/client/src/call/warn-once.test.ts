import { expect, it } from "vitest";
import { warnOnce } from "./warn-once.ts";

it("only the first warning is reported", () => {
  const heard: string[] = [];
  const warn = warnOnce((message) => heard.push(message));
  warn("one");
  warn("two");
  expect(heard).toEqual(["one"]);
});
