// Makes text of a server printable: control characters could move the cursor and change what the user reads.

/**
 * Keeps line breaks and tabs. Other control characters, line separators, changes of writing direction and invisible tags
 * become visible escapes. A value that is not a string is shown as JSON.
 */
export function toPrintable(text: unknown): string {
  const shown = typeof text === "string" ? text : (JSON.stringify(text) ?? String(text));
  // Uses the escapes of JSON, so that JSON stays valid.
  return shown.replaceAll(hidden, (character) =>
    character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

const hidden = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Returns printable text on one line. */
export function toPrintableLine(text: unknown): string {
  return toPrintable(typeof text === "string" ? text.replaceAll(/\s+/g, " ") : text).trim();
}
