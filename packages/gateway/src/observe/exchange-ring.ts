// The last requests, for an administrator who wonders what has just happened. Bounded; bodies only where the operator wants them.
import type { Redactor } from "./redact.ts";
import type { Bodies, RequestRecord } from "./request-record.ts";

export interface KeptExchange extends RequestRecord {
  /** Grows by one with each exchange. */
  id: number;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

export interface ExchangeQuery {
  /** Default 100. */
  limit?: number | undefined;
  /** Those after this id only. */
  after?: number | undefined;
  upstream?: string | undefined;
  caller?: string | undefined;
  method?: string | undefined;
  outcome?: string | undefined;
}

export interface ExchangeRing {
  add(record: RequestRecord, bodies?: Bodies): void;
  /** The latest first. */
  list(query?: ExchangeQuery): KeptExchange[];
}

/** What each body of an exchange may come to, as JSON. */
const maxBodyLength = 32 * 1024;

export function createExchangeRing(capacity: number, redactor: Redactor): ExchangeRing {
  const places: KeptExchange[] = [];
  let added = 0;

  return {
    add(record, bodies) {
      if (capacity === 0) return;
      places[added % capacity] = { id: added, ...record, ...(bodies && maskBodies(bodies, redactor)) };
      added += 1;
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
  };
}

/** When it is shown: of all that are kept, few are. */
function withMaskedWords(kept: KeptExchange, redactor: Redactor): KeptExchange {
  const shown = { ...kept };
  if (shown.name !== undefined) shown.name = redactor.text(shown.name);
  if (shown.detail !== undefined) shown.detail = redactor.text(shown.detail);
  return shown;
}

function isWanted(kept: KeptExchange, wanted: Omit<ExchangeQuery, "limit" | "after">): boolean {
  const members = ["upstream", "caller", "method", "outcome"] as const;
  return members.every((member) => wanted[member] === undefined || kept[member] === wanted[member]);
}

/**
 * Masked when it is kept, not when it is shown: a secret that is nowhere cannot get out. What will be left out is not masked
 * before: a body of megabytes would hold up everybody for as long as that takes.
 */
function maskBodies(bodies: Bodies, redactor: Redactor): Partial<KeptExchange> {
  const masked = Object.entries(bodies).map(([name, body]) => {
    const isLeftOut = redactor.isLongerThan(maxBodyLength, body);
    return [name, isLeftOut ? `left out: more than ${maxBodyLength} characters` : redactor.value(body)] as const;
  });
  return Object.fromEntries(masked);
}
