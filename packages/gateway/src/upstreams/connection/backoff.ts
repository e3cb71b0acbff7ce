// How long to wait before an upstream is started again: longer after each failure, never in step with other gateways.

export interface BackoffOptions {
  /** ms before the first restart. Default 500. */
  firstMs?: number;
  /** ms at the most. Default 30 000. */
  maxMs?: number;
}

/** The delay in ms before start number `failures + 1`: doubling, with the upper half random. */
export function backoffMs(failures: number, options: BackoffOptions = {}, random: () => number = Math.random): number {
  const { firstMs = 500, maxMs = 30_000 } = options;
  const full = Math.min(maxMs, firstMs * 2 ** Math.max(0, failures - 1));
  return full / 2 + (full / 2) * random();
}
