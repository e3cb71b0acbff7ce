// Whether the clock of the shared store agrees with the clock of this machine.
import { type Finding, ok, problem, warning } from "./finding.ts";

const clockWarningMs = 1_000;
const clockProblemMs = 10_000;

export function toClock(store: "Redis" | "PostgreSQL", clockAheadMs: number | undefined): Finding[] {
  if (clockAheadMs === undefined) return [];
  const skew = Math.abs(clockAheadMs);
  const text = `the clock of ${store} is ${skew} ms ${clockAheadMs < 0 ? "behind" : "ahead of"} the clock of this machine`;
  if (skew < clockWarningMs) return [ok("clock", text)];
  const cause = "expiry times of tokens and records would differ between replicas";
  const remedy = "synchronise both machines by NTP (timedatectl status, chronyc tracking)";
  return [
    skew < clockProblemMs ? warning("clock", text, { cause, remedy }) : problem("clock", text, { cause, remedy }),
  ];
}
