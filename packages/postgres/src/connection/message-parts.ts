// Splits messages into the parts that one notification can carry, and joins them. The notifications of one transaction arrive together and
// in their order, so parts of different messages never mix.

/** PostgreSQL accepts fewer than 8,000 bytes. The rest is for the header of a part. */
const maxPartChars = 7_900;

/** `number` makes each part unique: PostgreSQL drops equal notifications of one transaction. */
export function toParts(number: number, text: string): string[] {
  const count = Math.max(1, Math.ceil(text.length / maxPartChars));
  return Array.from({ length: count }, (_, index) => {
    const part = text.slice(index * maxPartChars, (index + 1) * maxPartChars);
    return `${number} ${index} ${count} ${part}`;
  });
}

/** Joins the parts of one channel. */
export class MessageJoiner {
  #number = "";
  #parts: string[] = [];
  #length = 0;
  readonly #maxChars: number;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Returns the message when its last part has arrived. Drops a message that is incomplete, malformed or too large. */
  add(payload: string): string | undefined {
    const [header = "", number = "", index, count] = /^(\d+) (\d+) (\d+) /.exec(payload) ?? [];
    if (index === "0") this.#start(number);
    if (header === "" || number !== this.#number || Number(index) !== this.#parts.length) return this.#start("");
    const part = payload.slice(header.length);
    this.#length += part.length;
    if (this.#length > this.#maxChars) return this.#start("");
    this.#parts.push(part);
    if (this.#parts.length < Number(count)) return undefined;
    const text = this.#parts.join("");
    this.#start("");
    return text;
  }

  #start(number: string): undefined {
    this.#number = number;
    this.#parts = [];
    this.#length = 0;
  }
}
