// Reads the series again where the stream did not carry all of it: the stream announces each step once, as the replicas that answer know it.
import type { QueryClient } from "@tanstack/react-query";
import type { SeriesAnswer, TickEvent } from "./admin-api.ts";
import { type FollowedSeries, stepsAfter, withTick } from "./traffic.ts";

export const seriesKey = ["admin", "/series"] as const;
/** The least time between two requests, because a stream may break and a replica may come and go again and again. */
const readEveryMs = 10_000;
/** Steps that may end while the series is being read. */
const maxTicks = 3;

export class SeriesGaps {
  readonly #queries: QueryClient;
  #wasOpen = false;
  #replicas: readonly string[] | undefined;
  #ticks: readonly TickEvent[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  /** The stream is open. Steps that ended while it was not are missing. */
  opened(): void {
    if (this.#wasOpen) this.#readAgain();
    this.#wasOpen = true;
  }

  /** The replicas whose figures the stream carries now. Steps that ended while another one of them did not answer lack its part. */
  included(replicas: readonly string[]): void {
    const before = this.#replicas;
    this.#replicas = replicas;
    if (before && replicas.some((replica) => !before.includes(replica))) this.#readAgain();
  }

  /** A step has ended. */
  ended(tick: TickEvent): void {
    this.#ticks = [...this.#ticks, tick].slice(-maxTicks);
    this.#queries.setQueryData<FollowedSeries>(seriesKey, (known) => {
      if (!known) return known;
      if (stepsAfter(known, tick) > 1) this.#readAgain();
      return withTick(known, tick);
    });
  }

  /** Adds the steps that ended while the answer was on its way. Those that it knows it has from all replicas. */
  complete(answer: SeriesAnswer): FollowedSeries {
    return this.#ticks.reduce<FollowedSeries>(
      (known, tick) => (stepsAfter(known, tick) > 0 ? withTick(known, tick) : known),
      answer,
    );
  }

  #readAgain(): void {
    const pauseMs = Math.max(0, this.#readAt + readEveryMs - performance.now());
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#readAt = performance.now();
      void this.#queries.invalidateQueries({ queryKey: seriesKey });
    }, pauseMs);
  }
}
