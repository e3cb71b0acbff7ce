// Defaults of settings that several places need.

/** Other limits derive from it: one caller gets half of it, and one session all of it. */
export const defaultLimits = { maxConcurrentRequests: 1_000, maxStreams: 10_000 } as const;

/** The limits of waiting for a session, a start or a turn. */
export const defaultWaiting = { waitMs: 10_000, turnWaitMs: 60_000, maxWaiting: 1_000 } as const;
