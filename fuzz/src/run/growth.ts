// Distinguishes a leak from a heap that fills once: a leak raises the lowest later measurement above the highest earlier one.

/**
 * By how many bytes the heap has grown after its warm-up, at least: the smallest measurement of the last quarter minus the
 * largest of the second. The first quarter is warm-up: code is compiled, caches and pools fill. 0 for less than 8 measurements.
 */
export function growthOf(heaps: readonly number[]): number {
  if (heaps.length < 8) return 0;
  const quarter = Math.floor(heaps.length / 4);
  const early = Math.max(...heaps.slice(quarter, 2 * quarter));
  const late = Math.min(...heaps.slice(-quarter));
  return Math.max(0, late - early);
}
