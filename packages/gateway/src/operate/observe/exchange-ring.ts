// The last requests and responses, for troubleshooting. Limited in number and size. Bodies are kept only if the operator asks
// for them.
import { processMemory } from "@lethe/protocol";
import type { StepRecorder } from "../../calls/step-recorder.ts";
import type { Bodies, RequestRecord } from "../../edge/request-record.ts";
import type { Redactor } from "./redact.ts";

export interface KeptExchange {
  /** Increases by one with each exchange. */
  readonly id: number;
  readonly record: RequestRecord;
  /** Masked. Undefined where bodies are not kept. */
  readonly bodies: Partial<Bodies> | undefined;
  /** Recorded while an administrator looked. */
  readonly steps: StepRecorder | undefined;
}

export interface ExchangeQuery {
  /** Default 100. */
  limit?: number | undefined;
  /** Only exchanges after this id. */
  after?: number | undefined;
  upstream?: string | undefined;
  caller?: string | undefined;
  method?: string | undefined;
  outcome?: string | undefined;
  /** Only the rounds of this call. */
  call?: string | undefined;
}

export interface ExchangeRing {
  /** Keeps the record itself, which must not change afterwards. */
  add(record: RequestRecord, bodies?: Bodies, steps?: StepRecorder): void;
  /** Counts an exchange that is not kept, because there are too many. */
  leaveOut(): void;
  readonly leftOut: number;
  /** Returns exchanges, the newest first. */
  list(query?: ExchangeQuery): KeptExchange[];
  /** The id of the last exchange, or -1. */
  readonly last: number;
  /** Undefined for an exchange that is not kept, or no longer. */
  get(id: number): KeptExchange | undefined;
  /** Returns the exchanges that follow `query.after`, the oldest first. */
  read(query: ExchangeQuery): ReadExchanges;
  /** Calls back after each exchange. Returns a function that ends this. */
  onAdded(callback: () => void): () => void;
}

export interface ReadExchanges {
  readonly exchanges: readonly KeptExchange[];
  /** The id of the last exchange that was considered, wanted or not. */
  readonly last: number;
  /** The number of exchanges after `after` that are no longer kept. */
  readonly missed: number;
  /** Whether newer exchanges are kept. */
  readonly hasMore: boolean;
}

/** The maximum length of one body as JSON, in characters. */
const maxBodyLength = 32 * 1024;
/** The maximum length of all bodies as JSON, in characters. */
const maxBodiesLength = 32 * 1024 * 1024;

/** An exchange without bodies takes about 1 KB. Bodies take at most 32 MiB, or an eighth of the memory budget. */
export function createExchangeRing(
  capacity: number,
  redactor: Redactor,
  maxLength: number = Math.min(maxBodiesLength, processMemory.hardBytes / 8),
): ExchangeRing {
  const places: Place[] = [];
  let added = 0;
  let leftOut = 0;
  /** The total length of kept bodies. */
  let bodiesLength = 0;
  /** The id of the oldest exchange that may still have bodies. */
  let oldest = 0;
  const callbacks = new Set<() => void>();

  function dropBodies(id: number): void {
    const place = places[id % capacity] as Place;
    bodiesLength -= place.length;
    places[id % capacity] = { record: place.record, bodies: undefined, steps: undefined, length: 0 };
  }

  function read(id: number): KeptExchange {
    return toKept(id, places[id % capacity] as Place, redactor);
  }

  return {
    add(record, given, steps) {
      if (capacity === 0) return;
      const bodies = given && maskBodies(given, redactor);
      if (added - oldest >= capacity) dropBodies(oldest++);
      const length = (bodies ? JSON.stringify(bodies).length : 0) + (steps?.length ?? 0);
      places[added % capacity] = { record, bodies, steps, length };
      added += 1;
      bodiesLength += length;
      while (bodiesLength > maxLength) dropBodies(oldest++);
      for (const callback of callbacks) callback();
    },
    leaveOut() {
      leftOut += 1;
    },
    get leftOut() {
      return leftOut;
    },
    list({ limit = 100, after = -1, ...wanted } = {}) {
      const found: KeptExchange[] = [];
      for (let id = added - 1; id > after && id >= added - places.length && found.length < limit; id -= 1) {
        if (isWanted((places[id % capacity] as Place).record, wanted)) found.push(read(id));
      }
      return found;
    },
    get last() {
      return added - 1;
    },
    get(id) {
      const isKept = id >= Math.max(0, added - places.length) && id < added;
      return isKept ? read(id) : undefined;
    },
    read({ limit = 100, after = -1, ...wanted }) {
      const exchanges: KeptExchange[] = [];
      const first = Math.max(after + 1, added - places.length);
      let next = first;
      for (; next < added && exchanges.length < limit; next += 1) {
        if (isWanted((places[next % capacity] as Place).record, wanted)) exchanges.push(read(next));
      }
      return { exchanges, last: next - 1, missed: first - after - 1, hasMore: next < added };
    },
    onAdded(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}

interface Place {
  readonly record: RequestRecord;
  readonly bodies: Partial<Bodies> | undefined;
  readonly steps: StepRecorder | undefined;
  /** The length of its bodies and steps as JSON. */
  readonly length: number;
}

/** Masks the words of a record when it is read, because only few of the kept ones ever are. */
function toKept(id: number, { record, bodies, steps }: Place, redactor: Redactor): KeptExchange {
  const { name, detail } = record;
  const shownName = name === undefined ? name : redactor.repeatedText(name);
  const shownDetail = detail === undefined ? detail : redactor.repeatedText(detail);
  if (name === shownName && detail === shownDetail) return { id, record, bodies, steps };
  const shown = { ...record };
  if (shownName !== undefined) shown.name = shownName;
  if (shownDetail !== undefined) shown.detail = shownDetail;
  return { id, record: shown, bodies, steps };
}

const wantedMembers = ["upstream", "caller", "method", "outcome", "call"] as const;

export function isWanted(
  record: Pick<RequestRecord, (typeof wantedMembers)[number]>,
  wanted: Omit<ExchangeQuery, "limit" | "after">,
): boolean {
  return wantedMembers.every((member) => wanted[member] === undefined || record[member] === wanted[member]);
}

/**
 * Masks bodies before they are kept, so that secrets never reach the ring. Bodies that are too long are not masked first,
 * because masking megabytes would block the event loop.
 */
function maskBodies(bodies: Bodies, redactor: Redactor): Partial<Bodies> {
  return Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, maskBody(body, redactor)]));
}

export function maskBody(body: unknown, redactor: Redactor): unknown {
  const isLeftOut = redactor.isLongerThan(maxBodyLength, body);
  return isLeftOut ? `left out: more than ${maxBodyLength} characters` : redactor.value(body);
}
