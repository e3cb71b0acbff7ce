// What all exchanges of one HTTP handler share: settings, who is served where, who may call, how much at a time.
import { createGuard, type Guard } from "./guards.ts";
import { fillHttpOptions, type HttpOptions, type HttpSettings } from "./http-options.ts";
import { type ServableLookup, type ServableTarget, toLookup } from "./servable.ts";

export interface HttpEdge {
  readonly settings: HttpSettings;
  readonly lookup: ServableLookup;
  /** For connections to a loopback address, which a rebound name must not reach (B-3). */
  readonly loopbackGuard: Guard;
  readonly guard: Guard;
  readonly requests: Limit;
  readonly streams: Limit;
}

export function createHttpEdge(target: ServableTarget, options: HttpOptions): HttpEdge {
  const settings = fillHttpOptions(options);
  return {
    settings,
    lookup: toLookup(target, settings.path),
    loopbackGuard: createGuard(settings, true),
    guard: createGuard(settings, false),
    requests: createLimit(settings.maxConcurrentRequests),
    streams: createLimit(settings.maxStreams),
  };
}

/** So many at a time and no more. */
export interface Limit {
  readonly max: number;
  /** False when all places are taken. */
  take(): boolean;
  release(): void;
}

export function createLimit(max: number): Limit {
  let taken = 0;
  return {
    max,
    take() {
      if (taken >= max) return false;
      taken++;
      return true;
    },
    release() {
      taken--;
    },
  };
}
