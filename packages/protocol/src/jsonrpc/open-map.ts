// What is open, by the id that we gave it. Not a Map: one whose entries come and go replaces its tables all the time, and in
// V8 an old table that has been promoted keeps the next ones, with all that their entries held, until a full collection.
// At a hundred thousand requests a second that was most of the time that collecting took.
import { isRequestId, type RequestId } from "./message.ts";

export class OpenMap<V> {
  #byKey: Record<string | number, V> = Object.create(null);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Those whose ids are numbers in the order of these, which is that of their beginning. */
  get values(): readonly V[] {
    return Object.values(this.#byKey);
  }

  /** A peer may name anything. */
  get(id: unknown): V | undefined {
    return isRequestId(id) ? this.#byKey[toKey(id)] : undefined;
  }

  /** An id is used once. */
  add(id: RequestId, value: V): void {
    this.#byKey[toKey(id)] = value;
    this.#size += 1;
  }

  /** Returns what it was, if it was there. */
  take(id: RequestId): V | undefined {
    const key = toKey(id);
    const value = this.#byKey[key];
    if (value === undefined) return undefined;
    delete this.#byKey[key];
    this.#size -= 1;
    return value;
  }

  /** Takes what is open alone. */
  takeOnly(): V | undefined {
    const only = this.#size === 1 ? this.values[0] : undefined;
    if (only !== undefined) this.clear();
    return only;
  }

  clear(): void {
    this.#byKey = Object.create(null);
    this.#size = 0;
  }
}

/** 1 and "1" are two ids. */
function toKey(id: RequestId): string | number {
  return typeof id === "number" ? id : `"${id}`;
}
