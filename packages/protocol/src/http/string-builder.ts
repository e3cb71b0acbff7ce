// Collects a text that arrives in pieces, at about the size of the text. V8 keeps `a + b` as a node of 32 bytes, and a slice
// keeps the whole string it was cut from, so plain concatenation of one-character pieces costs fifty times their length.

/** How many strings are copied into one. Until then each may keep the chunk that it was cut from. */
const fanIn = 64;

export class StringBuilder {
  #length = 0;
  /** Strings of level n + 1 are joined from `fanIn` strings of level n, so each character is copied O(log n) times. */
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
    for (let level = 0; ; level++) {
      const strings = this.#levels[level];
      if (!strings) {
        this.#levels.push([joined]);
        return;
      }
      strings.push(joined);
      if (strings.length < fanIn) return;
      joined = strings.join("");
      this.#levels[level] = [];
    }
  }

  /** Returns the whole text and clears the builder. */
  take(): string {
    if (this.#length === 0) return "";
    // Higher levels hold earlier text.
    const text = this.#levels.reverse().flat().join("");
    this.clear();
    return text;
  }

  clear(): void {
    this.#length = 0;
    this.#levels = [];
  }
}
