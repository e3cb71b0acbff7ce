// What is open, by the id of its request. Numbers, which we and most peers use, are not in a Map: one whose entries come
// and go replaces its tables all the time, and in V8 an old table that has been promoted keeps the next ones, with all that
// their entries held, until a full collection. At a hundred thousand requests a second that was most of the time that
// collecting took. Texts are in a Map all the same: each that is a key of an object is interned, which takes a microsecond.
import { isRequestId, type RequestId } from "./message.ts";

export class OpenMap<V> {
  #byNumber: Record<number, V> = Object.create(null);
  readonly #byText = new Map<string, V>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Those whose ids are numbers in the order of these, which is that of their beginning where we count. */
  get values(): readonly V[] {
    const values = Object.values(this.#byNumber);
    if (this.#byText.size > 0) values.push(...this.#byText.values());
    return values;
  }

  /** A peer may name anything. 1 and "1" are two ids. */
  get(id: unknown): V | undefined {
    if (!isRequestId(id)) return undefined;
    return typeof id === "number" ? this.#byNumber[id] : this.#byText.get(id);
  }

  /** Only when nothing is open by that id. */
  add(id: RequestId, value: V): void {
    if (typeof id === "number") this.#byNumber[id] = value;
    else this.#byText.set(id, value);
    this.#size += 1;
  }

  /** Returns what it was, if it was there. */
  take(id: RequestId): V | undefined {
    const value = this.get(id);
    if (value === undefined) return undefined;
    if (typeof id === "number") delete this.#byNumber[id];
    else this.#byText.delete(id);
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
    this.#byNumber = Object.create(null);
    this.#byText.clear();
    this.#size = 0;
  }
}
