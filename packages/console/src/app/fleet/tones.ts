// The colours of states and verdicts.
import type { Upstream } from "../admin/admin-api.ts";
import type { Tone } from "../parts/badge.tsx";

export const stateTones: Readonly<Record<Upstream["state"], Tone>> = {
  ready: "ok",
  idle: "neutral",
  starting: "info",
  failed: "bad",
};

export const verdictTones: Readonly<Record<string, Tone>> = { STATELESS: "ok", STATEFUL: "warn", UNKNOWN: "neutral" };
