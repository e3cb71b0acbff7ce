// The limits of the sessions of one upstream, with their defaults.
import { defaultWaiting } from "../../config/schema/defaults.ts";
import type { SessionLimits } from "../../config/upstream-config.ts";

export type FilledLimits = Required<SessionLimits>;

export function fillLimits(limits: SessionLimits = {}): FilledLimits {
  return {
    max: limits.max ?? 64,
    maxPerCaller: limits.maxPerCaller ?? 8,
    maxShared: limits.maxShared ?? 1,
    idleMs: limits.idleMs ?? 15 * 60_000,
    lifetimeMs: limits.lifetimeMs ?? 24 * 3_600_000,
    waitMs: limits.waitMs ?? defaultWaiting.waitMs,
    turnWaitMs: limits.turnWaitMs ?? defaultWaiting.turnWaitMs,
    maxWaiting: limits.maxWaiting ?? defaultWaiting.maxWaiting,
  };
}
