// Medians and ratios. A ratio is the median of the ratios within each round, because the speed of a shared machine varies
// more between rounds than within one.

/** One round of one contender: metric name to value; metrics that this machine cannot measure are absent. */
export type Sample = Readonly<Record<string, number | undefined>>;

/** The middle value, or the mean of the middle two; undefined for nothing. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

/** The percentile for this share by nearest rank. The values must be in ascending order. */
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
