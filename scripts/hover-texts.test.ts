// An editor shows a text for every exported name and every option.
import { expect, test } from "vitest";
import { readHoverTexts } from "./hover-texts.ts";

test("every exported name and option has a text that editors show, and deprecated ones say what to use instead", {
  timeout: 180_000,
}, () => {
  const { count, missing, deprecated } = readHoverTexts();
  expect(count).toBeGreaterThan(1_000);
  // Write a doc comment: what it is for, its unit and default, and its errors.
  expect(missing).toEqual([]);
  // Revision 2026-07-28 deprecates sampling, roots and logging.
  const ofServers = ["Context.log", "Context.roots", "Context.sample"];
  expect([...deprecated].sort()).toEqual([
    "CallOptions.logLevel",
    "CallOptions.onLog",
    ...ofServers,
    "Handlers.roots",
    "Handlers.sample",
  ]);
});
