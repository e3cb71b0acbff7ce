// Collects text that arrives in pieces, in about the memory of the text. V8 stores `a + b` as a node of 32 bytes, and a slice
// retains the whole string that it was cut from. Concatenating one-character pieces costs fifty times their length.

/** This many small strings are copied into one. Until then each may retain the chunk that it was cut from. */
const fanIn = 64;
/** A string of this length is not copied: its overhead is negligible. */
const segmentLength = 16 * 1024;

/** Collects text that arrives in pieces. */
export class StringBuilder {
  #length = 0;
  readonly #segments: string[] = [];
  /** The text after the segments. A string of level n + 1 joins `fanIn` strings of level n and precedes them. */
  #levels: string[][] = [];

  constructor(text = "") {
    this.append(text);
  }

  /** In UTF-16 code units. */
  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    if (text === "") return;
    this.#length += text.length;
    let joined = text;
    for (let level = 0; joined.length < segmentLength; level++) {
      this.#levels[level] ??= [];
      const strings = this.#levels[level] as string[];
      strings.push(joined);
      if (strings.length < fanIn) return;
      joined = strings.join("");
      this.#levels[level] = [];
    }
    this.#closeSegment();
    this.#segments.push(joined);
  }

  /** Returns the whole text and clears the builder. */
  take(): string {
    if (this.#length === 0) return "";
    this.#closeSegment();
    const text = this.#segments.join("");
    this.clear();
    return text;
  }

  clear(): void {
    this.#length = 0;
    this.#segments.length = 0;
    this.#levels = [];
  }

  #closeSegment(): void {
    if (this.#levels.length === 0) return;
    const rest = this.#levels.reverse().flat().join("");
    this.#levels = [];
    if (rest !== "") this.#segments.push(rest);
  }
}
