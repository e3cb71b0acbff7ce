// The last requests and responses, for troubleshooting. Limited in number and size. Bodies are kept only if the operator asks
// for them.
import { processMemory } from "@lethe/protocol";
import type { RecordedStep } from "../../calls/step-recorder.ts";
import type { Bodies, RequestRecord } from "../../edge/request-record.ts";
import type { Redactor } from "./redact.ts";

export interface KeptExchange extends Omit<RequestRecord, "steps"> {
  /** Increases by one with each exchange. */
  id: number;
  params?: unknown;
  result?: unknown;
  error?: unknown;
  recorded?: RecordedSteps;
}

/** The steps of an exchange that were recorded while an administrator looked. */
export interface RecordedSteps {
  readonly steps: readonly RecordedStep[];
  readonly omitted: number;
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
  add(record: RequestRecord, bodies?: Bodies): void;
  /** Returns exchanges, the newest first. */
  list(query?: ExchangeQuery): KeptExchange[];
  /** The number of exchanges that are kept. */
  readonly capacity: number;
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
  const places: KeptExchange[] = [];
  let added = 0;
  /** The total length of kept bodies. */
  let bodiesLength = 0;
  /** The id of the oldest exchange that may still have bodies. */
  let oldest = 0;
  const callbacks = new Set<() => void>();

  function dropBodies(id: number): void {
    const { params, result, error, recorded, ...record } = places[id % capacity] as KeptExchange;
    bodiesLength -= lengthOf({ params, result, error, recorded });
    places[id % capacity] = record;
  }

  return {
    capacity,
    add({ steps: recorder, ...record }, bodies) {
      if (capacity === 0) return;
      const recorded = recorder && { steps: recorder.steps, omitted: recorder.omitted };
      const masked = (bodies || recorded) && {
        ...(bodies && maskBodies(bodies, redactor)),
        ...(recorded && { recorded }),
      };
      if (added - oldest >= capacity) dropBodies(oldest++);
      places[added % capacity] = { id: added, ...record, ...masked };
      added += 1;
      if (masked) bodiesLength += lengthOf(masked);
      while (bodiesLength > maxLength) dropBodies(oldest++);
      for (const callback of callbacks) callback();
    },
    list({ limit = 100, after = -1, ...wanted } = {}) {
      const found: KeptExchange[] = [];
      for (let id = added - 1; id > after && id >= added - places.length && found.length < limit; id -= 1) {
        const kept = places[id % capacity] as KeptExchange;
        if (!isWanted(kept, wanted)) continue;
        found.push(withMaskedWords(kept, redactor));
      }
      return found;
    },
    get last() {
      return added - 1;
    },
    get(id) {
      const isKept = id >= Math.max(0, added - places.length) && id < added;
      return isKept ? withMaskedWords(places[id % capacity] as KeptExchange, redactor) : undefined;
    },
    read({ limit = 100, after = -1, ...wanted }) {
      const exchanges: KeptExchange[] = [];
      const first = Math.max(after + 1, added - places.length);
      let next = first;
      for (; next < added && exchanges.length < limit; next += 1) {
        const kept = places[next % capacity] as KeptExchange;
        if (isWanted(kept, wanted)) exchanges.push(withMaskedWords(kept, redactor));
      }
      return { exchanges, last: next - 1, missed: first - after - 1, hasMore: next < added };
    },
    onAdded(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}

interface Kept extends Pick<KeptExchange, "params" | "result" | "error"> {
  readonly recorded?: RecordedSteps | undefined;
}

/** Returns the length as JSON, or 0 for an exchange without bodies and steps. */
function lengthOf({ params, result, error, recorded }: Kept): number {
  if (params === undefined && result === undefined && error === undefined && recorded === undefined) return 0;
  return JSON.stringify([params, result, error, recorded]).length;
}

/** Masks when exchanges are listed, because only few of the kept ones ever are. */
function withMaskedWords(kept: KeptExchange, redactor: Redactor): KeptExchange {
  const shown = { ...kept };
  if (shown.name !== undefined) shown.name = redactor.text(shown.name);
  if (shown.detail !== undefined) shown.detail = redactor.text(shown.detail);
  return shown;
}

const wantedMembers = ["upstream", "caller", "method", "outcome", "call"] as const;

export function isWanted(
  kept: Pick<KeptExchange, (typeof wantedMembers)[number]>,
  wanted: Omit<ExchangeQuery, "limit" | "after">,
): boolean {
  return wantedMembers.every((member) => wanted[member] === undefined || kept[member] === wanted[member]);
}

/**
 * Masks bodies before they are kept, so that secrets never reach the ring. Bodies that are too long are not masked first,
 * because masking megabytes would block the event loop.
 */
function maskBodies(bodies: Bodies, redactor: Redactor): Partial<KeptExchange> {
  return Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, maskBody(body, redactor)]));
}

export function maskBody(body: unknown, redactor: Redactor): unknown {
  const isLeftOut = redactor.isLongerThan(maxBodyLength, body);
  return isLeftOut ? `left out: more than ${maxBodyLength} characters` : redactor.value(body);
}
