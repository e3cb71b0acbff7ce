// Shows a change of a file: the lines that differ between the first and the last difference, with context.

const contextLines = 2;

/** Lines with "-" and "+" in front. Empty if nothing changes. */
export function toLineDiff(before: string, after: string): string[] {
  if (before === after) return [];
  const [old, now] = [before, after].map((text) => text.split("\n")) as [string[], string[]];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...now.slice(Math.max(0, start - contextLines), start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...now.slice(now.length - end, now.length - end + contextLines).map((line) => `  ${line}`),
  ];
}
