// Processes that count requests in one store, on a clock that a test advances.
import type { Clock } from "../../clock/clock.ts";
import { createMemoryRateCounter, type Rate, type RateCounter } from "../rate-counter.ts";
import type { RateReservation, RateStore } from "../rate-store.ts";
import { createSharedRateCounter, type SharedRateCounterOptions } from "../shared-rate-counter.ts";

export interface SimulatedRatesOptions extends SharedRateCounterOptions {
  /** Default 1. */
  processes?: number;
  /** From the process to the store, and back, in ms. Default 0. */
  delays?: () => readonly [there: number, back: number];
}

export interface SimulatedRates {
  readonly counters: readonly RateCounter[];
  readonly clock: Clock;
  /** What the store was asked. */
  readonly commands: readonly (string | undefined)[];
  /** The most commands that were in flight at a time. */
  readonly mostInFlight: number;
  /** "hanging": commands are neither run nor answered. */
  state: "up" | "down" | "hanging";
  /** The units in the bucket of a caller. */
  unitsOf(callerId: string | undefined, rate: Rate): number;
  /** Runs what is due in the next `ms`. */
  advance(ms: number): Promise<void>;
}

export function createSimulatedRates(options: SimulatedRatesOptions = {}): SimulatedRates {
  const { processes = 1, delays = () => [0, 0], ...given } = options;
  const { clock, advance } = createClock();
  const store = createMemoryRateCounter({ clock });
  const commands: (string | undefined)[] = [];
  let inFlight = 0;
  const simulated = {
    clock,
    commands,
    mostInFlight: 0,
    state: "up" as SimulatedRates["state"],
    unitsOf: (callerId: string | undefined, rate: Rate) =>
      rate.max - (store.reserve(callerId, rate, { needed: 0, ahead: 0, share: 0 }).fullInMs * rate.max) / rate.windowMs,
    advance,
  };

  function after(ms: number): Promise<void> {
    return ms === 0 ? Promise.resolve() : new Promise((resolve) => void clock.after(ms, resolve));
  }

  const remote: RateStore = {
    async reserve(callerId, rate, units): Promise<RateReservation> {
      commands.push(callerId);
      inFlight += 1;
      simulated.mostInFlight = Math.max(simulated.mostInFlight, inFlight);
      const [there, back] = delays();
      await after(there);
      if (simulated.state === "hanging") return new Promise(() => {});
      const reservation = simulated.state === "up" && store.reserve(callerId, rate, units);
      await after(back);
      inFlight -= 1;
      if (!reservation) throw new Error("the store is out of reach");
      return reservation;
    },
  };
  const counters = Array.from({ length: processes }, () => createSharedRateCounter(remote, { ...given, clock }));
  return Object.assign(simulated, { counters });
}

/** Timers run in the order of their times, and promises settle between them. */
function createClock(): Pick<SimulatedRates, "clock" | "advance"> {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = 1_000;

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }

  const clock: Clock = {
    now: () => now,
    wallTime: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };

  async function advance(ms: number): Promise<void> {
    const end = now + ms;
    await settle();
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (!next) break;
      timers.delete(next);
      now = next.at;
      next.callback();
      await settle();
    }
    now = end;
    await settle();
  }

  return { clock, advance };
}
