// One budget for the bytes that a process holds on behalf of its peers, in the manner of Envoy's overload manager: above a soft
// mark new work is refused, above a hard mark the largest holdings are dropped. It counts only what is large or slow: a
// holding is opened when its size is worth it, and each operation on it takes constant time.
import { type McpError, overloaded } from "../jsonrpc/error.ts";
import { defaultHardBytes } from "./heap-limit.ts";

/**
 * What is held: requests (their bodies, as long as they run), responses that clients have not read, answers of servers that
 * are being read, calls that wait for their caller, and logs (events for resumption, recent exchanges).
 */
export type MemoryKind = "requests" | "responses" | "answers" | "calls" | "logs";
export const memoryKinds: readonly MemoryKind[] = ["requests", "responses", "answers", "calls", "logs"];

/** A holding below this size is not worth opening, in bytes. */
export const smallBytes: number = 4 * 1024;

/** The soft mark, as a part of the hard one. */
const softShare = 0.75;
/**
 * What all unfinished answers of servers may take of the hard mark. It is less than the soft mark: a server that answers
 * without end loses its answers, and no caller of another server is refused for it.
 */
const answersShare = 2 / 3;
const retryAfterMs = 1_000;

export interface MemoryHolding {
  /** 0 after `release`, and after the budget has dropped the holding. */
  readonly bytes: number;
  /** True when the budget has dropped the holding. */
  readonly isDropped: boolean;
  /** Sets the size. May drop holdings, this one among them; false when this one is dropped. */
  set(bytes: number): boolean;
  /** From now on the budget does not drop this holding: its bytes are needed until `release`. */
  pin(): void;
  /** Ends the holding. May be called several times. */
  release(): void;
}

export class MemoryBudget {
  #hardBytes: number;
  #held = 0;
  readonly #byKind: Record<MemoryKind, number> = { requests: 0, responses: 0, answers: 0, calls: 0, logs: 0 };
  /** Those that may be dropped, each at its `place`. */
  readonly #droppable: Holding[] = [];
  #droppedCount = 0;
  #refusedCount = 0;

  /** Default: an eighth of the heap limit of this process where it is known, else 64 MiB. */
  constructor(hardBytes: number = defaultHardBytes()) {
    this.#hardBytes = hardBytes;
  }

  /** Changes the hard mark; the soft one follows. */
  limit(hardBytes: number): void {
    this.#hardBytes = hardBytes;
  }

  /** Above it, the largest holdings are dropped until the soft mark is reached. */
  get hardBytes(): number {
    return this.#hardBytes;
  }

  /** Above it, new work is refused. Three quarters of `hardBytes`. */
  get softBytes(): number {
    return this.#hardBytes * softShare;
  }

  get heldBytes(): number {
    return this.#held;
  }

  get heldByKind(): Readonly<Record<MemoryKind, number>> {
    return this.#byKind;
  }

  /** Holdings dropped since the start. */
  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** Refusals since the start. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** True above the soft mark: new work should be refused. */
  get isTight(): boolean {
    return this.#held > this.softBytes;
  }

  /** True when so many more bytes stay below the hard mark. */
  hasRoomFor(bytes: number): boolean {
    return this.#held + bytes <= this.#hardBytes;
  }

  /** The error for work that is refused: 503 with Retry-After over HTTP. Counts the refusal. */
  refuse(): McpError {
    this.#refusedCount += 1;
    return overloaded("busy: the server holds as much data of its peers as it may", retryAfterMs);
  }

  /** `drop` gives the memory back when the budget asks for it, for example by closing the connection. Absent: never dropped. */
  hold(kind: MemoryKind, drop?: () => void): MemoryHolding {
    const holding = new Holding(this.#books, kind, drop);
    if (drop) {
      holding.place = this.#droppable.length;
      this.#droppable.push(holding);
    }
    return holding;
  }

  readonly #books: Books = {
    add: (kind, bytes) => {
      this.#held += bytes;
      this.#byKind[kind] += bytes;
      if (bytes <= 0) return;
      const mostAnswers = this.#hardBytes * answersShare;
      if (kind === "answers" && this.#byKind.answers > mostAnswers) {
        this.#dropLargest(
          (holding) => holding.kind === kind,
          () => this.#byKind.answers > mostAnswers * softShare,
        );
      }
      if (this.#held > this.#hardBytes)
        this.#dropLargest(
          () => true,
          () => this.isTight,
        );
    },
    keep: (holding) => {
      const { place } = holding;
      if (place === -1) return;
      holding.place = -1;
      const last = this.#droppable.pop();
      if (last === undefined || last === holding) return;
      this.#droppable[place] = last;
      last.place = place;
    },
  };

  /** Sorts once for all that it drops, so that the cost is spread over the bytes between the two marks. */
  #dropLargest(mayDrop: (holding: Holding) => boolean, isTooMuch: () => boolean): void {
    const bySize = this.#droppable
      .filter((holding) => holding.bytes > 0 && mayDrop(holding))
      .sort((a, b) => b.bytes - a.bytes);
    for (const holding of bySize) {
      if (!isTooMuch()) return;
      // Dropping one may release others.
      if (holding.isEnded) continue;
      this.#droppedCount += 1;
      holding.dropNow();
    }
  }
}

/** What a holding does to its budget. */
interface Books {
  add(kind: MemoryKind, bytes: number): void;
  /** Takes the holding out of those that may be dropped. */
  keep(holding: Holding): void;
}

class Holding implements MemoryHolding {
  bytes = 0;
  isDropped = false;
  isEnded = false;
  /** Among those that may be dropped; -1 for all others. */
  place = -1;
  readonly #books: Books;
  readonly kind: MemoryKind;
  readonly #drop: (() => void) | undefined;

  constructor(books: Books, kind: MemoryKind, drop: (() => void) | undefined) {
    this.#books = books;
    this.kind = kind;
    this.#drop = drop;
  }

  set(bytes: number): boolean {
    if (this.isEnded) return false;
    const added = bytes - this.bytes;
    this.bytes = bytes;
    this.#books.add(this.kind, added);
    return !this.isDropped;
  }

  pin(): void {
    this.#books.keep(this);
  }

  release(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    const { bytes } = this;
    this.bytes = 0;
    this.#books.keep(this);
    this.#books.add(this.kind, -bytes);
  }

  dropNow(): void {
    this.isDropped = true;
    this.release();
    this.#drop?.();
  }
}
