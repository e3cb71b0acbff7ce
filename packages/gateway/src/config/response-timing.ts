// When the response to a slow request starts, and how long a request may wait for another replica before that. The start fixes the
// status 200, so a request that should fail with 503 fails earlier. Load balancers take three times `keepAliveMs` of silence for a hang.

const startPart = 1.6;
/** Much less than `startPart`: timers of a busy process run late. */
const replicaWaitPart = 1;

/** The time after which a slow response starts, in ms. */
export function startAfterMs(keepAliveMs: number): number {
  return Math.ceil(startPart * keepAliveMs);
}

/** How long a request waits for another replica before its 503, in ms. Undefined where responses do not start early. */
export function replicaWaitMs(keepAliveMs: number | undefined): number | undefined {
  return keepAliveMs === undefined ? undefined : Math.ceil(replicaWaitPart * keepAliveMs);
}
