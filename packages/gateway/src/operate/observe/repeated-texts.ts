// Remembers what texts become when they are masked. The view of an upstream has about ten texts that are read every second while a console is
// open, and masking one costs more than all else that is read of it.

/** Texts in each of two generations: what is read again in one is remembered in the next. */
const maxTexts = 5_000;
/** Longer texts are masked each time. */
const maxLength = 512;

export function rememberTexts(mask: (text: string) => string): (text: string) => string {
  let recent = new Map<string, string>();
  let older = new Map<string, string>();
  return (text) => {
    if (text.length > maxLength) return mask(text);
    const known = recent.get(text);
    if (known !== undefined) return known;
    const masked = older.get(text) ?? mask(text);
    if (recent.size >= maxTexts) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, masked);
    return masked;
  };
}
