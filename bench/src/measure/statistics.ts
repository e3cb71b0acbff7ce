// Medians and ratios. A ratio is taken inside each round and then the median of those, because a shared machine drifts
// between rounds more than inside one.

/** One round of one contender: metric name to value; a metric that this machine cannot tell is left out. */
export type Sample = Readonly<Record<string, number | undefined>>;

/** The middle value, or the mean of the middle two; undefined for nothing. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

/** The value below which this share of the values lies (nearest rank); the values must be in ascending order. */
export function percentile(ascending: ArrayLike<number>, share: number): number | undefined {
  const rank = Math.ceil(share * ascending.length) - 1;
  return ascending[Math.max(0, rank)];
}

export function medianOf(samples: readonly Sample[], metric: string): number | undefined {
  return median(samples.map((sample) => sample[metric]).filter((value) => value !== undefined));
}

/** The median over the rounds of this contender's value divided by the floor's value in the same round. */
export function medianRatio(samples: readonly Sample[], floor: readonly Sample[], metric: string): number | undefined {
  const ratios = samples.map((sample, round) => {
    const value = sample[metric];
    const base = floor[round]?.[metric];
    return value === undefined || base === undefined || base === 0 ? undefined : value / base;
  });
  return median(ratios.filter((ratio) => ratio !== undefined));
}
