// Prints sections as Markdown tables whose columns also line up in a terminal.
import { type Column, type Section, type Summary, summarise } from "./section.ts";

const absent = "-";

export function formatSection(section: Section, floorName: string): string {
  const { title, columns, notes, floor = floorName } = section;
  const header = ["", ...columns.flatMap(({ label, hasRatio }) => (hasRatio ? [label, `x ${floor}`] : [label]))];
  const summaries = summarise(section, floorName);
  const rows = summaries.map((summary) => cellsOf(columns, summary, header.length));
  const failures = summaries.flatMap(({ contender, failure }) => (failure ? [`${contender} failed: ${failure}`] : []));
  return [`## ${title}`, formatTable([header, ...rows]), ...failures, ...notes].join("\n\n");
}

function cellsOf(
  columns: readonly Column[],
  { contender, failure, medians, ratios }: Summary,
  width: number,
): string[] {
  if (failure !== undefined) return [contender, "failed", ...Array.from({ length: width - 2 }, () => absent)];
  const values = columns.flatMap(({ metric, decimals, hasRatio }) => {
    const value = formatNumber(medians[metric], decimals);
    return hasRatio ? [value, formatRatio(ratios[metric])] : [value];
  });
  return [contender, ...values];
}

/** The first row is the header; the first column is left-aligned, the others right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const [header = [], ...body] = rows;
  const widths = header.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const toLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const pad = (row: readonly string[]): string[] =>
    widths.map((width, column) => (column === 0 ? (row[0] ?? "").padEnd(width) : (row[column] ?? "").padStart(width)));
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [toLine(pad(header)), toLine(rule), ...body.map((row) => toLine(pad(row)))].join("\n");
}

export function formatNumber(value: number | undefined, decimals: number): string {
  if (value === undefined) return absent;
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Two significant digits or more: 0.052, 0.84, 1.00, 13.2, 250. */
export function formatRatio(ratio: number | undefined): string {
  if (ratio === undefined) return absent;
  if (ratio >= 100) return formatNumber(ratio, 0);
  if (ratio >= 10) return ratio.toFixed(1);
  return ratio >= 0.1 ? ratio.toFixed(2) : ratio.toFixed(3);
}
