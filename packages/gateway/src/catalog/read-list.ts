// Reads one list of an upstream: valid items without duplicates, within limits, and the problems of the others.
import { createHash, type Hash } from "node:crypto";
import type { Tool } from "@lethe/protocol";
import type { ListLimits } from "./list-limits.ts";
import { Slices } from "./slices.ts";
import { factsOf } from "./tool-facts.ts";
import { type ItemList, keyOf, toValidItem } from "./valid-items.ts";

/** A list is cut after this many characters. */
const maxCharacters = 16 * 1024 * 1024;
/** The maximum number of reported problems per list. */
const maxProblems = 20;

export interface ListBound {
  readonly max: number;
  /** The setting that the operator can raise. */
  readonly setting: keyof ListLimits;
}

export class ReadList<T> {
  readonly items: T[] = [];
  readonly #member: ItemList;
  readonly #bound: ListBound;
  readonly #keys: Set<unknown> = new Set();
  readonly #problems: Set<string> = new Set();
  readonly #hash: Hash = createHash("sha256");
  readonly #slices: Slices = new Slices();
  #cut: string | undefined;
  #untold = 0;
  #repeated = 0;
  #characters = 0;

  constructor(member: ItemList, bound: ListBound) {
    this.#member = member;
    this.#bound = bound;
  }

  get problems(): string[] {
    const lines = [...this.#problems];
    if (this.#untold > 0) lines.push(`of its ${this.#member} ${this.#untold} more are wrong`);
    if (this.#repeated > 0) lines.push(`of its ${this.#member} ${this.#repeated} repeat another one and are left out`);
    if (this.#cut !== undefined) lines.push(this.#cut);
    return lines;
  }

  /** Equal for lists with equal items. */
  get version(): string {
    return this.#hash.copy().digest("base64url");
  }

  /** Returns false when the list is full. Takes long pages in slices, so that other work runs in between. */
  async add(page: unknown): Promise<boolean> {
    if (!Array.isArray(page)) {
      this.#tell(`its list of ${this.#member} has a page without ${this.#member}`);
      return true;
    }
    // Parsing a long page has used up this turn of the event loop.
    if (this.#slices.isLong(page.length)) await this.#slices.pause();
    for (const [index, entry] of page.entries()) {
      if (this.items.length >= this.#bound.max) {
        this.#drop(page.length - index);
        return false;
      }
      if (!this.#take(entry)) return false;
      if (this.#slices.isOver()) await this.#slices.pause();
    }
    return true;
  }

  cut(why: string): this {
    this.#cut = `its list of ${this.#member} is cut after ${this.items.length}: ${why}`;
    return this;
  }

  #take(entry: unknown): boolean {
    const item = toValidItem(this.#member, entry, (problem) => this.#tell(problem));
    if (item === undefined) return true;
    const key = keyOf(this.#member, item);
    if (this.#keys.has(key)) {
      this.#repeated += 1;
      return true;
    }
    const text = JSON.stringify(item);
    this.#characters += text.length;
    if (this.#characters > maxCharacters) {
      this.cut(`it is longer than ${maxCharacters} characters`);
      return false;
    }
    this.#keys.add(key);
    this.#hash.update(text);
    if (this.#member === "tools") factsOf(item as Tool);
    this.items.push(item as T);
    return true;
  }

  #drop(count: number): void {
    const { max, setting } = this.#bound;
    this.cut(`at least ${count} more are dropped, because gateway.limits.${setting} is ${max}`);
  }

  #tell(problem: string): void {
    if (this.#problems.has(problem)) return;
    if (this.#problems.size < maxProblems) this.#problems.add(problem);
    else this.#untold += 1;
  }
}
