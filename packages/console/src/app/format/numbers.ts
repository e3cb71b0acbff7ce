// Counts and sizes as people read them.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** Groups thousands: 12,345. */
export function formatCount(count: number): string {
  return grouped.format(count);
}

/** With its noun: "1 tool", "3 tools". */
export function formatAmount(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Binary units: "0 B", "12 KiB", "3.4 MiB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${Math.round(bytes)} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1_024;
  let unit = 0;
  while (value >= 1_023.5 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
