// Stands in the bundle for the functions of node:crypto by which processes seal their messages. Encryption takes a quarter of the time of a
// schedule, and no simulated fault reads or forges a message. Sealed text opens only with its key, for its receiver and unchanged, as before.

const tagBytes = 16;
let counter = 0;

/** Bytes that differ on each call, the same in every run of a schedule that does not look at them. */
export function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  counter = (counter + 1) % 2 ** 32;
  bytes.writeUInt32LE(counter);
  return bytes;
}

export function createCipheriv(_algorithm: string, key: Uint8Array, iv: Uint8Array): Sealing {
  return new Sealing(key, iv);
}

export function createDecipheriv(_algorithm: string, key: Uint8Array, iv: Uint8Array): Sealing {
  return new Sealing(key, iv);
}

class Sealing {
  /** FNV-1a over the key, the nonce, the additional data and the text. */
  #sum = 0x811c9dc5;
  #expected: number | undefined;

  constructor(key: Uint8Array, iv: Uint8Array) {
    this.#add(key);
    this.#add(iv);
  }

  setAAD(data: Uint8Array): this {
    this.#add(data);
    return this;
  }

  setAuthTag(tag: Buffer): this {
    this.#expected = tag.readUInt32LE();
    return this;
  }

  update(text: string | Buffer): Buffer {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    this.#add(bytes);
    return bytes;
  }

  final(): Buffer {
    if (this.#expected !== undefined && this.#expected !== this.#sum) throw new Error("the text was changed");
    return Buffer.alloc(0);
  }

  getAuthTag(): Buffer {
    const tag = Buffer.alloc(tagBytes);
    tag.writeUInt32LE(this.#sum);
    return tag;
  }

  #add(bytes: Uint8Array): void {
    let sum = this.#sum;
    for (let index = 0; index < bytes.length; index += 1) sum = Math.imul(sum ^ (bytes[index] as number), 0x01000193);
    this.#sum = sum >>> 0;
  }
}
