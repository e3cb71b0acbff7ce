// The budget for bytes that a process holds on behalf of its peers, like the overload manager of Envoy. Above a soft limit the
// process rejects new work; above a hard limit it drops the largest holdings. Only large or slow items open a holding, and each
// operation takes constant time.
import { type McpError, overloaded } from "../jsonrpc/error.ts";
import { defaultHardBytes } from "./heap-limit.ts";

/**
 * The kind of a holding: "requests" are bodies of running requests, "responses" are unread by clients, "answers" are being read
 * from servers, "calls" wait for their caller, "logs" are events for resumption and recent exchanges.
 */
export type MemoryKind = "requests" | "responses" | "answers" | "calls" | "logs";
/** All kinds of holdings. */
export const memoryKinds: readonly MemoryKind[] = ["requests", "responses", "answers", "calls", "logs"];

/** Smaller items need no holding, in bytes. */
export const smallBytes: number = 4 * 1024;

/** The soft limit as a fraction of the hard limit. */
const softShare = 0.75;
/**
 * The fraction of the hard limit that all unfinished answers of servers may take. It is below the soft limit: a server that
 * answers without end loses its answers, and callers of other servers are not rejected.
 */
const answersShare = 2 / 3;
/**
 * The fraction of the hard limit that all waiting calls may take. It is below the soft limit: calls wait for minutes and are not dropped,
 * and meanwhile new requests must be possible.
 */
const callsShare = 0.5;
const retryAfterMs = 1_000;

/** Bytes that a budget counts until `release`. */
export interface MemoryHolding {
  /** 0 after `release`, and after the budget has dropped the holding. */
  readonly bytes: number;
  /** True if the budget has dropped the holding. */
  readonly isDropped: boolean;
  /** Sets the size, which may drop holdings. Returns false if this one is dropped. */
  set(bytes: number): boolean;
  /** Prevents the budget from dropping this holding until `release`. */
  pin(): void;
  /** Ends the holding. Further calls do nothing. */
  release(): void;
}

/** A budget for bytes that a process holds on behalf of its peers. See `processMemory`. */
export class MemoryBudget {
  #hardBytes: number | undefined;
  #held = 0;
  readonly #byKind: Record<MemoryKind, number> = { requests: 0, responses: 0, answers: 0, calls: 0, logs: 0 };
  /** Holdings that may be dropped, each at index `place`. */
  readonly #droppable: Holding[] = [];
  #droppedCount = 0;
  #refusedCount = 0;

  /** Default: an eighth of the heap limit of this process, or 64 MiB if it is unknown. */
  constructor(hardBytes?: number) {
    this.#hardBytes = hardBytes;
  }

  /** Changes the hard limit. The soft limit follows. */
  limit(hardBytes: number): void {
    this.#hardBytes = hardBytes;
  }

  /** Above it, the largest holdings are dropped until the soft limit is reached. */
  get hardBytes(): number {
    // On first use, because Node takes a millisecond to load the module that knows the heap limit.
    this.#hardBytes ??= defaultHardBytes();
    return this.#hardBytes;
  }

  /** Above it, new work is rejected. Three quarters of `hardBytes`. */
  get softBytes(): number {
    return this.hardBytes * softShare;
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

  /** Rejections since the start. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** True above the soft limit: reject new work. */
  get isTight(): boolean {
    return this.#held > 0 && this.#held > this.softBytes;
  }

  /** True if this many more bytes stay below the hard limit. */
  hasRoomFor(bytes: number): boolean {
    return this.#held + bytes <= this.hardBytes;
  }

  /** True if calls that wait may take this many more bytes. */
  hasRoomForCall(bytes: number): boolean {
    return this.#byKind.calls + bytes <= this.hardBytes * callsShare && this.hasRoomFor(bytes);
  }

  /** The error for rejected work: 503 with Retry-After over HTTP. Counts the rejection. */
  refuse(): McpError {
    this.#refusedCount += 1;
    return overloaded("busy: the server holds as much data of its peers as it may", retryAfterMs);
  }

  /** Opens a holding. `drop` must free its memory, for example by closing the connection. Without `drop` it is never dropped. */
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
      const mostAnswers = this.hardBytes * answersShare;
      if (kind === "answers" && this.#byKind.answers > mostAnswers) {
        this.#dropLargest(
          (holding) => holding.kind === kind,
          () => this.#byKind.answers > mostAnswers * softShare,
        );
      }
      if (this.#held > this.hardBytes)
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

  /** Sorts once per run, so that the cost is spread over the bytes between the two limits. */
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

/** The side of the budget that its holdings use. */
interface Books {
  add(kind: MemoryKind, bytes: number): void;
  /** Excludes the holding from those that may be dropped. */
  keep(holding: Holding): void;
}

class Holding implements MemoryHolding {
  bytes = 0;
  isDropped = false;
  isEnded = false;
  /** The index among the holdings that may be dropped; -1 for all others. */
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
