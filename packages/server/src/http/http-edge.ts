// What all exchanges of one HTTP handler share: settings, who is served where, who may call, how much at a time.

import { ArrivingBodies } from "./arriving-bodies.ts";
import { FairLimit } from "./fair-limit.ts";
import { createGuard, type Guard } from "./guards.ts";
import { fillHttpOptions, type HttpOptions, type HttpSettings } from "./http-options.ts";
import { createParties, type Parties, toAddressBlock } from "./party.ts";
import { type ServableLookup, type ServableTarget, toLookup } from "./servable.ts";

export interface HttpEdge {
  readonly settings: HttpSettings;
  readonly lookup: ServableLookup;
  /** For connections to a loopback address, which a rebound name must not reach (B-3). */
  readonly loopbackGuard: Guard;
  readonly guard: Guard;
  readonly callers: Parties;
  readonly addresses: Parties;
  /** Requests whose caller or body is not complete yet. */
  readonly receiving: FairLimit;
  /** Those of them whose body is arriving. */
  readonly bodies: ArrivingBodies;
  /** Requests that run. */
  readonly requests: FairLimit;
  readonly streams: FairLimit;
}

/** `now` is in ms since any beginning, and may be coarse. */
export function createHttpEdge(target: ServableTarget, options: HttpOptions, now: () => number = Date.now): HttpEdge {
  const settings = fillHttpOptions(options);
  return {
    settings,
    lookup: toLookup(target, settings.path),
    loopbackGuard: createGuard(settings, true),
    guard: createGuard(settings, false),
    callers: createParties("caller"),
    addresses: createParties("address", toAddressBlock),
    receiving: new FairLimit({
      ...{ index: 0, what: "requests being received", max: settings.maxReceivingRequests },
      ...{ maxPerCaller: settings.maxReceivingPerCaller, maxPerAddress: settings.maxReceivingPerAddress },
    }),
    bodies: new ArrivingBodies(now),
    requests: new FairLimit({
      ...{ index: 1, what: "running requests", max: settings.maxConcurrentRequests },
      ...{ maxPerCaller: settings.maxConcurrentPerCaller, maxPerAddress: settings.maxConcurrentPerAddress },
    }),
    streams: new FairLimit({
      ...{ index: 2, what: "streams", max: settings.maxStreams },
      ...{ maxPerCaller: settings.maxStreamsPerCaller, maxPerAddress: settings.maxStreamsPerAddress },
    }),
  };
}
