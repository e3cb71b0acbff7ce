// The four string formats of an elicitation form (E-86), validated as their standards say.

export type FormFormat = "email" | "uri" | "date" | "date-time";

/** As browsers check `<input type="email">`. */
const email =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
/** RFC 3986: a scheme, then only characters that a URI may contain. */
const uri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/;
const date = /^(\d{4})-(\d{2})-(\d{2})$/;
/** RFC 3339: with an offset, and perhaps a fraction. */
const dateTime =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const checks: { readonly [format in FormFormat]: (text: string) => boolean } = {
  email: (text) => text.length <= 254 && email.test(text),
  uri: (text) => uri.test(text),
  date: isDate,
  "date-time": (text) => isDate(dateTime.exec(text)?.[1] ?? ""),
};

export function isFormFormat(value: unknown): value is FormFormat {
  return typeof value === "string" && Object.hasOwn(checks, value);
}

export function hasFormat(text: string, format: FormFormat): boolean {
  return checks[format](text);
}

/** Whether the date exists. */
function isDate(text: string): boolean {
  const [, year, month, day] = date.exec(text) ?? [];
  if (year === undefined) return false;
  const time = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}
