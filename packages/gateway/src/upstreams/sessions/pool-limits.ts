// The limits of the sessions of one upstream, with their defaults.
import { defaultSessions } from "../../config/schema/defaults.ts";
import type { SessionLimits } from "../../config/upstream-config.ts";

export type FilledLimits = Required<SessionLimits>;

export function fillLimits(limits: SessionLimits = {}): FilledLimits {
  return {
    max: limits.max ?? defaultSessions.max,
    maxPerCaller: limits.maxPerCaller ?? defaultSessions.maxPerCaller,
    maxShared: limits.maxShared ?? defaultSessions.maxShared,
    idleMs: limits.idleMs ?? defaultSessions.idleMs,
    lifetimeMs: limits.lifetimeMs ?? defaultSessions.lifetimeMs,
    waitMs: limits.waitMs ?? defaultSessions.waitMs,
    turnWaitMs: limits.turnWaitMs ?? defaultSessions.turnWaitMs,
    maxWaiting: limits.maxWaiting ?? defaultSessions.maxWaiting,
  };
}
