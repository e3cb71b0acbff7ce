// Open requests by id. A Map with many insertions and deletions keeps replacing its tables. In V8 a promoted old table retains
// the next ones, with all their entries, until a full collection: at 100,000 requests per second this dominated garbage
// collection. Numeric ids, which most peers count up, are therefore kept in an array. Object keys would cost 100 ns each.
import { isRequestId, type RequestId } from "./message.ts";

/** Powers of two. Most connections to older servers have one request at a time, and a gateway has many such connections. */
const fewestSlots = 2;
const nextSlots = 16;
/** The array keeps at most this many slots after a burst. */
const mostSlotsKept = 4_096;

/** Open requests by id. */
export class OpenMap<V> {
  /** Id n belongs in slot n & (length - 1). An entry whose slot is taken goes to the others. */
  #ids: (number | undefined)[] = emptySlots(fewestSlots);
  #values: (V | undefined)[] = emptySlots(fewestSlots);
  #others: Map<RequestId, V> | undefined = undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** All open values. Those with numeric ids are in numeric order, which is the order of their start for ids that count up. */
  get values(): readonly V[] {
    const numbered: [number, V][] = [];
    const named: V[] = [];
    for (const [slot, id] of this.#ids.entries()) {
      if (id !== undefined) numbered.push([id, this.#values[slot] as V]);
    }
    for (const [id, value] of this.#others ?? []) {
      if (typeof id === "number") numbered.push([id, value]);
      else named.push(value);
    }
    return [...numbered.sort(([one], [other]) => one - other).map(([, value]) => value), ...named];
  }

  /** The value with this id. 1 and "1" are different ids. */
  get(id: unknown): V | undefined {
    if (typeof id === "number") {
      const slot = this.#slotOf(id);
      if (this.#ids[slot] === id) return this.#values[slot];
    }
    return this.#others !== undefined && isRequestId(id) ? this.#others.get(id) : undefined;
  }

  /** Adds a value. The id must not be open. */
  add(id: RequestId, value: V): void {
    this.#size += 1;
    if (this.#size > this.#ids.length / 2) this.#grow();
    this.#put(id, value);
  }

  /** Removes and returns the value with this id; undefined if there is none. */
  take(id: RequestId): V | undefined {
    const value = this.get(id);
    if (value === undefined) return undefined;
    if (typeof id === "number" && this.#ids[this.#slotOf(id)] === id) {
      this.#ids[this.#slotOf(id)] = undefined;
      this.#values[this.#slotOf(id)] = undefined;
    } else this.#others?.delete(id);
    this.#size -= 1;
    if (this.#size === 0 && this.#ids.length > mostSlotsKept) this.clear();
    return value;
  }

  /** Removes and returns the value if it is the only one; undefined otherwise. */
  takeOnly(): V | undefined {
    const only = this.#size === 1 ? this.values[0] : undefined;
    if (only !== undefined) this.clear();
    return only;
  }

  clear(): void {
    this.#ids = emptySlots(fewestSlots);
    this.#values = emptySlots(fewestSlots);
    this.#others = undefined;
    this.#size = 0;
  }

  #put(id: RequestId, value: V): void {
    if (typeof id === "number" && this.#ids[this.#slotOf(id)] === undefined) {
      this.#ids[this.#slotOf(id)] = id;
      this.#values[this.#slotOf(id)] = value;
    } else {
      this.#others ??= new Map();
      this.#others.set(id, value);
    }
  }

  #slotOf(id: number): number {
    return id & (this.#ids.length - 1);
  }

  #grow(): void {
    const ids = this.#ids;
    const values = this.#values;
    const others = this.#others;
    const slots = Math.max(nextSlots, ids.length * 2);
    this.#ids = emptySlots(slots);
    this.#values = emptySlots(slots);
    this.#others = undefined;
    for (const [slot, id] of ids.entries()) if (id !== undefined) this.#put(id, values[slot] as V);
    for (const [id, value] of others ?? []) this.#put(id, value);
  }
}

/** An array without holes: a hole would make V8 search the prototype chain. */
function emptySlots<T>(count: number): (T | undefined)[] {
  return new Array<T | undefined>(count).fill(undefined);
}
