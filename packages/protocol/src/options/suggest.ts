// Suggests the known name that the author probably meant.

/** Longer names get no suggestion: the work grows with the square of the length. */
const maxLength = 128;

/**
 * Returns the known name within an edit distance of a third of its length, or else the only one that adds a suffix or lacks
 * one, such as `ttlMs` for `ttl`. Upper and lower case are equal.
 */
export function suggest(given: string, known: Iterable<string>): string | undefined {
  if (given.length > maxLength) return undefined;
  const wanted = given.toLowerCase();
  const related = new Set<string>();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of known) {
    const candidate = name.slice(0, maxLength + 1).toLowerCase();
    if (isRelated(wanted, candidate)) related.add(name);
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = distanceOf(wanted, candidate);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  if (best !== undefined || related.size !== 1) return best;
  return [...related][0];
}

/** One name begins with the other, of at least three letters. */
function isRelated(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));
}

/** The number of letters to add, remove, replace or swap with a neighbor to turn one text into the other. */
function distanceOf(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? (before[j - 2] as number) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length] as number;
}
