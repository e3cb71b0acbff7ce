// The Retry-After header (RFC 9110): how long an overloaded server asks to be left alone.

/** In milliseconds; undefined for an absent or malformed value. `nowMs` is the time of day. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  // Date.parse takes more for a date than HTTP does, "-1" for example.
  return Number.isNaN(date) || !text.endsWith("GMT") ? undefined : Math.max(0, date - nowMs);
}
