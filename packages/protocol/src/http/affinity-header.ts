// The header by which a server tells load balancers which requests belong together.

/**
 * The name of the affinity header. A response contains an opaque value that is the same for all requests of one caller, and a client
 * sends it with each further request, so that a load balancer can hash on it. No server depends on the value.
 */
export const affinityHeader = "lethe-affinity";

/** Whether a value can be an affinity hint. Others are ignored. */
export function isAffinityHint(value: string | undefined): value is string {
  return value !== undefined && hintPattern.test(value);
}

const hintPattern = /^[\w-]{8,64}$/;
