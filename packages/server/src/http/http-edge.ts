// What all requests of one HTTP handler share: settings, the servers by path, the guards, and the limits.

import { ArrivingBodies } from "./arriving-bodies.ts";
import { toCallbackLookup } from "./callback-edge.ts";
import { FairLimit } from "./fair-limit.ts";
import { createGuard, type Guard } from "./guards.ts";
import { fillHttpOptions, type HttpOptions, type HttpSettings } from "./http-options.ts";
import { createParties, type Parties, toAddressBlock } from "./party.ts";
import { type ServableLookup, type ServableTarget, toLookup } from "./servable.ts";

export interface HttpEdge {
  readonly settings: HttpSettings;
  readonly lookup: ServableLookup;
  readonly callbacks: ReturnType<typeof toCallbackLookup>;
  /** For connections to a loopback address, which DNS rebinding must not reach. */
  readonly loopbackGuard: Guard;
  readonly guard: Guard;
  readonly callers: Parties;
  readonly addresses: Parties;
  /** Limits requests whose caller or body is not complete yet. */
  readonly receiving: FairLimit;
  /** The requests whose body is arriving. */
  readonly bodies: ArrivingBodies;
  /** Limits running requests. */
  readonly requests: FairLimit;
  /** Limits open streams. */
  readonly streams: FairLimit;
}

/** `now` returns ms since any point in time, and may be coarse. */
export function createHttpEdge(target: ServableTarget, options: HttpOptions, now: () => number = Date.now): HttpEdge {
  const settings = fillHttpOptions(options);
  return {
    settings,
    lookup: toLookup(target, settings.path),
    callbacks: toCallbackLookup(target),
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
