// Counts requests in a store that several processes share, with few commands: a busy caller's process reserves units in advance.
// While the store is out of reach, each process counts alone: no request is rejected for that reason, and no caller is without a limit.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { type Clock, systemClock } from "../clock/clock.ts";
import { RateCaller } from "./rate-caller.ts";
import { createMemoryRateCounter, type Rate, type RateCounter } from "./rate-counter.ts";
import type { RateReservation, RateStore, RateUnits } from "./rate-store.ts";

/** Options of `createSharedRateCounter`. */
export interface SharedRateCounterOptions {
  /**
   * Whether this process reserves units in advance for callers that send several requests per second, at most an eighth of the limit for each.
   * A caller that uses several processes may then be rejected while another process holds units for it. Default true; false reserves
   * each unit when its request arrives.
   */
  prefetch?: boolean | undefined;
  /** After a failed reservation, how long this process counts alone before it tries the store again, in ms. Default 5,000. */
  pauseMs?: number | undefined;
  /** Callers that this process counts; the one that was idle longest is dropped first. Default 10,000. */
  maxCallers?: number | undefined;
  /** Called each time this process starts to count alone. Default: nothing is called. */
  onAlone?: ((error: unknown) => void) | undefined;
  /** Measures the lifetime of reserved units. Default: the clock of this process. */
  clock?: Clock | undefined;
}

const knownSharedRateCounterOptions: KnownOptions<SharedRateCounterOptions> = {
  prefetch: true,
  pauseMs: true,
  maxCallers: true,
  onAlone: true,
  clock: true,
};

/**
 * Creates the counter for the option `counter` of `rateLimit` from a store that several processes share. Callers are never admitted more
 * often than the rate allows to all processes together. `take` never rejects: while the store is out of reach, this process counts alone.
 *
 * @example
 * import { createMemoryRateCounter, createSharedRateCounter } from "@lethe/server/stores";
 *
 * const store = createMemoryRateCounter();
 * const [here, there] = [createSharedRateCounter(store), createSharedRateCounter(store)];
 * const rate = { max: 1, windowMs: 60_000 };
 * console.log(await here.take("ann", rate), await there.take("ann", rate)); // 0 60000
 */
export function createSharedRateCounter(store: RateStore, options: SharedRateCounterOptions = {}): RateCounter {
  checkOptions("createSharedRateCounter", options, knownSharedRateCounterOptions);
  const { prefetch = true, pauseMs = 5_000, maxCallers = 10_000, onAlone, clock = systemClock } = options;
  const alone = createMemoryRateCounter({ maxCallers, clock });
  // By caller id, the longest idle first.
  const callers = new Map<string | undefined, RateCaller>();
  let aloneUntil = Number.NEGATIVE_INFINITY;
  let isAlone = false;

  async function reserve(
    callerId: string | undefined,
    rate: Rate,
    units: RateUnits,
  ): Promise<RateReservation | undefined> {
    try {
      const reservation = await store.reserve(callerId, rate, units);
      isAlone = false;
      return reservation;
    } catch (error) {
      aloneUntil = clock.now() + pauseMs;
      if (!isAlone) onAlone?.(error);
      isAlone = true;
      return undefined;
    }
  }

  function createCaller(callerId: string | undefined, rate: Rate): RateCaller {
    return new RateCaller({
      rate,
      prefetch,
      now: () => clock.now(),
      reserve: (units) => reserve(callerId, rate, units),
      takeAlone: () => alone.take(callerId, rate),
    });
  }

  /** The units of a caller that was idle for a window have lapsed. */
  function forget(now: number, windowMs: number): void {
    for (const [callerId, { usedAt }] of callers) {
      if (callers.size < maxCallers && now - usedAt < windowMs) return;
      callers.delete(callerId);
    }
  }

  function callerOf(callerId: string | undefined, rate: Rate, now: number): RateCaller {
    const known = callers.get(callerId);
    callers.delete(callerId);
    forget(now, rate.windowMs);
    const isSame = known?.rate.max === rate.max && known.rate.windowMs === rate.windowMs;
    const caller = isSame ? known : createCaller(callerId, rate);
    callers.set(callerId, caller);
    caller.usedAt = now;
    return caller;
  }

  return {
    take(callerId, rate) {
      const now = clock.now();
      return now < aloneUntil ? alone.take(callerId, rate) : callerOf(callerId, rate, now).take(now);
    },
  };
}
