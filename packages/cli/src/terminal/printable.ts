// What a server says, made safe to show: control characters could move the cursor and fake what the user reads.

/** Keeps line breaks and tabs; other control characters and changes of writing direction become visible. */
export function toPrintable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The same on one line. */
export function toPrintableLine(text: string): string {
  return toPrintable(text.replaceAll(/\s+/g, " ")).trim();
}
