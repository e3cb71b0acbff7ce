// Compares two comparisons transport by transport, ignoring ids, times and tokens.
import type { Recording } from "../record/recording.ts";
import type { Comparison } from "../run/comparison.ts";
import { normalise } from "./normalise.ts";

/** The difference between two recorded messages or headers, line by line. */
export interface Difference {
  readonly title: string;
  /** "- " marks a line of the first, "+ " a line of the second, and "  " context. Empty if nothing differs. */
  readonly lines: readonly string[];
}

/** Two comparisons with one recording each are compared directly. Otherwise recordings with the same id are compared. */
export function toDifferences(a: Comparison, b: Comparison): Difference[] {
  const [first, second] = [a.recordings[0], b.recordings[0]];
  if (a.recordings.length === 1 && b.recordings.length === 1 && first && second) return [differ(first, second)];
  const both = a.recordings.flatMap((one) => {
    const other = b.recordings.find(({ id }) => id === one.id);
    return other ? [differ(one, other)] : [{ title: one.title, lines: ["- only in the first"] }];
  });
  const added = b.recordings.filter(({ id }) => !a.recordings.some((one) => one.id === id));
  return [...both, ...added.map(({ title }) => ({ title, lines: ["+ only in the second"] }))];
}

function differ(a: Recording, b: Recording): Difference {
  const title = a.title === b.title ? a.title : `${a.title} → ${b.title}`;
  return { title, lines: withContext(diffLines(normalise(a), normalise(b))) };
}

/** Cells of the table, which takes the product of both lengths in memory. Longer texts are shown as replaced. */
const maxTable = 4_000_000;

export function diffLines(a: readonly string[], b: readonly string[]): string[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const same = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  const middle = diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...same(a.slice(0, head)), ...middle, ...same(a.slice(a.length - tail))];
}

/** Uses the longest common subsequence. */
function diffMiddle(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1;
  if ((a.length + 1) * width > maxTable) return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)];
  const table = new Uint32Array((a.length + 1) * width);
  const cell = (row: number, column: number): number => table[row * width + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row -= 1) {
    for (let column = b.length - 1; column >= 0; column -= 1) {
      const isSame = a[row] === b[column];
      table[row * width + column] = isSame
        ? cell(row + 1, column + 1) + 1
        : Math.max(cell(row + 1, column), cell(row, column + 1));
    }
  }
  const lines: string[] = [];
  let [row, column] = [0, 0];
  while (row < a.length || column < b.length) {
    if (row < a.length && column < b.length && a[row] === b[column]) {
      lines.push(`  ${a[row]}`);
      row += 1;
      column += 1;
    } else if (column >= b.length || (row < a.length && cell(row + 1, column) >= cell(row, column + 1))) {
      lines.push(`- ${a[row]}`);
      row += 1;
    } else {
      lines.push(`+ ${b[column]}`);
      column += 1;
    }
  }
  return lines;
}

const contextLines = 3;

function withContext(lines: readonly string[]): string[] {
  const isChange = (line: string | undefined): boolean => line !== undefined && !line.startsWith("  ");
  const shown = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(isChange),
  );
  return lines.flatMap((line, index) => {
    if (shown[index]) return [line];
    return shown[index - 1] ? ["  …"] : [];
  });
}
