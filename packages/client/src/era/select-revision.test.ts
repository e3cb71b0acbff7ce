import { McpError } from "@lethe/protocol";
import { expect, test } from "vitest";
import { offeredVersionsOf, selectLegacy, selectModern } from "./select-revision.ts";

test.each([-32022, -32004, -32602])("an error with code %i and data.supported offers versions (I-1)", (code) => {
  const error = new McpError(code, "m", { data: { supported: ["2025-11-25", 5, "2026-07-28"] } });
  expect(offeredVersionsOf(error)).toEqual(["2025-11-25", "2026-07-28"]);
});

test("other errors offer no versions", () => {
  for (const data of [undefined, null, [], {}, { supported: "2026-07-28" }]) {
    expect(offeredVersionsOf(new McpError(-32602, "m", { data }))).toBeUndefined();
  }
  expect(offeredVersionsOf(new McpError(-32603, "m", { data: { supported: [] } }))).toBeUndefined();
  expect(offeredVersionsOf(new Error("m"))).toBeUndefined();
});

test("versions are compared by equality (J-34)", () => {
  expect(selectModern(["2026-07-28T00:00", "2027-01-01"])).toBeUndefined();
  expect(selectLegacy(["2024-11-05", "2025-03-26"])).toBe("2025-03-26");
});
