// What a listening server has open.
import type { HttpEdge } from "./http-edge.ts";

/** The requests and streams that a listening server has open. */
export interface ServingLoad {
  /** Requests that authenticate or whose body is arriving; at most `maxReceivingRequests`. */
  readonly receiving: number;
  /** Running requests; at most `maxConcurrentRequests`. */
  readonly running: number;
  /** Open streams; at most `maxStreams`. */
  readonly streams: number;
}

export const noLoad: ServingLoad = { receiving: 0, running: 0, streams: 0 };

export function loadOf({
  receiving,
  requests,
  streams,
}: Pick<HttpEdge, "receiving" | "requests" | "streams">): ServingLoad {
  return { receiving: receiving.taken, running: requests.taken, streams: streams.taken };
}

export function sumOf(loads: readonly ServingLoad[]): ServingLoad {
  const sum = (member: keyof ServingLoad) => loads.reduce((total, load) => total + load[member], 0);
  return { receiving: sum("receiving"), running: sum("running"), streams: sum("streams") };
}
