import { expect, test } from "vitest";
import { formatNumber, formatRatio, formatSection } from "./table.ts";

test("a section becomes a Markdown table of medians whose columns line up, with ratios for the columns that have them", () => {
  const section = {
    id: "call-1",
    title: "tools/call, 1 tool",
    columns: [
      { metric: "rate", label: "req/s", decimals: 0, hasRatio: true },
      { metric: "p50", label: "p50 ms", decimals: 2 },
    ],
    rows: [
      { contender: "floor", samples: [{ rate: 30_000, p50: 0.5 }] },
      { contender: "other", samples: [{ rate: 1_500, p50: 11 }] },
    ],
    notes: ["A note."],
  };
  expect(formatSection(section, "floor")).toBe(
    [
      "## tools/call, 1 tool",
      "",
      "|       |  req/s | x floor | p50 ms |",
      "| ----- | -----: | ------: | -----: |",
      "| floor | 30,000 |    1.00 |   0.50 |",
      "| other |  1,500 |   0.050 |  11.00 |",
      "",
      "A note.",
    ].join("\n"),
  );
});

test("a failed contender is listed with its reason below the table", () => {
  const columns = [{ metric: "ms", label: "ms", decimals: 0, hasRatio: true }];
  const rows = [{ contender: "broken", samples: [], failure: "ended with code 1" }];
  const text = formatSection({ id: "cold", title: "cold start", columns, rows, notes: [] }, "floor");
  expect(text).toContain("| broken | failed |       - |");
  expect(text.endsWith("broken failed: ended with code 1")).toBe(true);
});

test("numbers have grouped thousands and fixed decimals, and a missing number is a dash", () => {
  expect(formatNumber(33_180.4, 0)).toBe("33,180");
  expect(formatNumber(0.0304, 3)).toBe("0.030");
  expect(formatNumber(undefined, 3)).toBe("-");
});

test("a ratio keeps at least two significant digits", () => {
  expect([0.0521, 0.84, 1, 13.24, 250.4, undefined].map(formatRatio)).toEqual([
    "0.052",
    "0.84",
    "1.00",
    "13.2",
    "250",
    "-",
  ]);
});
