// Parses `--header 'Name: value'`, which may be repeated.
import { CommandError } from "../exit-code.ts";

/** For commander: adds one header to the earlier ones. */
export function collectHeader(text: string, before: Record<string, string> = {}): Record<string, string> {
  const colon = text.indexOf(":");
  const name = text.slice(0, Math.max(colon, 0)).trim();
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw new CommandError(`--header must be "Name: value", got "${name || text.slice(0, 20)}"`);
  }
  const value = text.slice(colon + 1).trim();
  // The message omits the value, which may be secret.
  if (/[^\t -~\u0080-\u00ff]/.test(value)) {
    throw new CommandError(`--header ${name}: its value has a character that no header may have, such as a line break`);
  }
  return { ...before, [name]: value };
}
