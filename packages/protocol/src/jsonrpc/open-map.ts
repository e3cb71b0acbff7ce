// What is open, by the id of its request. Numbers, which we and most peers count up, are not in a Map: one whose entries come
// and go replaces its tables all the time, and in V8 an old table that has been promoted keeps the next ones, with all that
// their entries held, until a full collection. At a hundred thousand requests a second that was most of the time that
// collecting took. Nor are they keys of an object, which cost a hundred nanoseconds each.
import { isRequestId, type RequestId } from "./message.ts";

/** A power of two. */
const fewestSlots = 16;
/** A burst may leave so many behind. */
const mostSlotsKept = 4_096;

export class OpenMap<V> {
  /** The id n has its place in slot n & (length - 1). What finds that taken is among the others. */
  #ids: (number | undefined)[] = emptySlots(fewestSlots);
  #values: (V | undefined)[] = emptySlots(fewestSlots);
  #others: Map<RequestId, V> | undefined = undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Those whose ids are numbers in the order of these, which is that of their beginning where we count. */
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

  /** A peer may name anything. 1 and "1" are two ids. */
  get(id: unknown): V | undefined {
    if (typeof id === "number") {
      const slot = this.#slotOf(id);
      if (this.#ids[slot] === id) return this.#values[slot];
    }
    return this.#others !== undefined && isRequestId(id) ? this.#others.get(id) : undefined;
  }

  /** Only when nothing is open by that id. */
  add(id: RequestId, value: V): void {
    this.#size += 1;
    if (this.#size > this.#ids.length / 2) this.#grow();
    this.#put(id, value);
  }

  /** Returns what it was, if it was there. */
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

  /** Takes what is open alone. */
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
    this.#ids = emptySlots(ids.length * 2);
    this.#values = emptySlots(ids.length * 2);
    this.#others = undefined;
    for (const [slot, id] of ids.entries()) if (id !== undefined) this.#put(id, values[slot] as V);
    for (const [id, value] of others ?? []) this.#put(id, value);
  }
}

/** Without holes, which would have to be looked for further up. */
function emptySlots<T>(count: number): (T | undefined)[] {
  return new Array<T | undefined>(count).fill(undefined);
}
