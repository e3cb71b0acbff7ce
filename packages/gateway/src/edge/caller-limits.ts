// Limits the requests and subscriptions that one caller runs at a time. The HTTP edge counts open HTTP requests; this also
// counts calls of legacy clients, which outlive their connections and may come in batches.
import {
  type Exchange,
  type Middleware,
  type ModernRequest,
  method,
  type Result,
  tooManyRequests,
} from "@lethe/protocol";
import { defaultLimits } from "../config/schema/defaults.ts";
import type { LimitSettings } from "../config/schema/settings.ts";
import { type CallerQuota, createCallerQuota } from "../subscriptions/caller-quota.ts";

const retryAfterMs = 1_000;

/** How much the caller with most has open, and how much one caller may have. */
export interface CallerUse {
  readonly requests: { readonly used: number; readonly limit: number };
  readonly streams: { readonly used: number; readonly limit: number };
}

export interface CallerLimits {
  readonly middleware: Middleware;
  use(): CallerUse;
}

/** By default, one caller gets half of each total. For anonymous requests, only the HTTP edge has limits. */
export function callerLimits(limits: LimitSettings = {}): CallerLimits {
  const {
    maxConcurrentRequests = defaultLimits.maxConcurrentRequests,
    maxStreams = defaultLimits.maxStreams,
    maxConcurrentPerCaller = halfOf(maxConcurrentRequests),
    maxStreamsPerCaller = halfOf(maxStreams),
  } = limits;
  const requests = createCallerQuota(maxConcurrentPerCaller);
  const streams = createCallerQuota(maxStreamsPerCaller);
  const tooManyOpen = `at most ${maxConcurrentPerCaller} requests of one caller at a time`;
  const tooManyStreams = `at most ${maxStreamsPerCaller} subscriptions of one caller at a time`;
  const middleware: Middleware = (next) => (request: ModernRequest, exchange: Exchange) => {
    const id = exchange.caller?.id;
    if (id === undefined) return next(request, exchange);
    const isStream = request.method === method.listen;
    const quota = isStream ? streams : requests;
    if (!quota.take(id, 1)) {
      return Promise.reject(tooManyRequests(isStream ? tooManyStreams : tooManyOpen, retryAfterMs));
    }
    return giveBack(next(request, exchange), quota, id);
  };
  const use = (): CallerUse => ({
    requests: { used: requests.fullest, limit: maxConcurrentPerCaller },
    streams: { used: streams.fullest, limit: maxStreamsPerCaller },
  });
  return { middleware, use };
}

/** Does not retain the request, which a subscription would otherwise keep alive. */
async function giveBack(running: Promise<Result>, quota: CallerQuota, id: string): Promise<Result> {
  try {
    return await running;
  } finally {
    quota.giveBack(id, 1);
  }
}

function halfOf(limit: number): number {
  return Math.max(1, Math.floor(limit / 2));
}
