// Reads a paginated list to its end (E.6) and terminates for any sequence of cursors.
import { errorCode, isMcpError } from "@lethe/protocol";
import { TransportError } from "../call/transport-error.ts";

export interface PageSource<T> {
  /** Names the request in errors. */
  readonly what: string;
  /** The member that identifies an item: its name or URI. */
  keyOf(item: T): string;
  /** Reads one page; undefined reads the first. "" is a cursor like any other. */
  read(cursor: string | undefined): Promise<{ items: readonly T[]; nextCursor: unknown }>;
  /** The server rejected a cursor: the cached pages are inconsistent. */
  restart(): void;
}

/** A longer list is an attack or a loop. */
const maxPages = 1000;

/** Yields each item once. After a rejected cursor, reads the list once more from the beginning. */
export async function* readPages<T>(source: PageSource<T>): AsyncGenerator<T, undefined> {
  const keys = new Set<string>();
  let cursors = new Set<string>();
  let cursor: string | undefined;
  let mayRestart = true;
  for (let page = 0; page < maxPages; page++) {
    let read: Awaited<ReturnType<typeof source.read>>;
    try {
      read = await source.read(cursor);
    } catch (error) {
      if (cursor === undefined || !mayRestart || !isMcpError(error) || error.code !== errorCode.invalidParams)
        throw error;
      mayRestart = false;
      source.restart();
      cursors = new Set();
      cursor = undefined;
      continue;
    }
    for (const item of read.items) {
      const key = source.keyOf(item);
      if (keys.has(key)) continue;
      keys.add(key);
      yield item;
    }
    const { nextCursor } = read;
    if (typeof nextCursor !== "string") return undefined;
    if (cursors.has(nextCursor)) {
      throw new TransportError("invalid", `${source.what}: expected a new cursor, got one that was there before`);
    }
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  throw new TransportError("too_large", `${source.what}: the list has more than ${maxPages} pages`);
}
