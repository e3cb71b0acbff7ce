// The small stores of the parent as a worker uses them. `space` keeps the stores of different servers apart.
import type { RateCounter } from "../../middleware/rate-counter.ts";
import type { RateReservation, RateStore } from "../../middleware/rate-store.ts";
import { createSharedRateCounter } from "../../middleware/shared-rate-counter.ts";
import type { Claim, SingleUseStore } from "../../seal/single-use-store.ts";
import type { SessionStateStore, StoredSession } from "../../session/session-state-store.ts";
import { type Bus, createMemoryBus } from "../../subscriptions/bus.ts";
import type { Change } from "../../subscriptions/change.ts";
import type { ParentLink } from "./parent-link.ts";
import type { StoreLink } from "./store-link.ts";

export function createLinkedSingleUseStore(link: StoreLink, space: string): SingleUseStore {
  return {
    claim: (round) => link.request<Claim>("once.claim", space, round),
    settle: (round, answer) => link.request<void>("once.settle", space, round, answer).catch(() => {}),
    release: (round) => link.request<void>("once.release", space, round).catch(() => {}),
  };
}

export function createLinkedRateStore(link: StoreLink, space: string): RateStore {
  return {
    reserve: (callerId, rate, units) => link.request<RateReservation>("rates.reserve", space, callerId, rate, units),
  };
}

/** Counts alone only those requests for which the parent does not answer. */
export function createLinkedRateCounter(link: StoreLink, space: string): RateCounter {
  return createSharedRateCounter(createLinkedRateStore(link, space), { pauseMs: 0 });
}

export function createLinkedSessionStateStore(link: StoreLink, space: string): SessionStateStore {
  return {
    read: (key) => link.request<StoredSession | undefined>("records.read", space, key),
    write: async (key, text, options) =>
      (await link.request<number | undefined>("records.write", space, key, text, options)) !== undefined,
    delete: (key, expected) => link.request<boolean>("records.delete", space, key, expected),
  };
}

/** Listeners of this process are called before `publish` returns. */
export function createLinkedBus(link: ParentLink, space: string): Bus {
  const own = createMemoryBus();
  const channel = `bus ${space}`;
  const stop = link.listen<Change>(channel, (_from, change) => own.publish(change));
  let isClosed = false;
  return {
    publish(change) {
      if (isClosed) return;
      own.publish(change);
      link.broadcast(channel, change);
    },
    subscribe: own.subscribe,
    close() {
      isClosed = true;
      stop();
      void own.close?.();
    },
  };
}
