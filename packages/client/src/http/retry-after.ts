// Parses the Retry-After header (RFC 9110): how long an overloaded server asks to wait.

/** The delay in ms. Undefined if the value is absent or malformed. `nowMs` is the current Unix time. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  // Date.parse accepts more than HTTP dates, for example "-1".
  return Number.isNaN(date) || !text.endsWith("GMT") ? undefined : Math.max(0, date - nowMs);
}
