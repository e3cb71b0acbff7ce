// One finding of `lethe gateway doctor`: what was looked at, what is wrong, why it matters and what to do.

export const areas = ["config", "ports", "keys", "clock", "store", "upstreams", "tls", "telemetry", "limits"] as const;

export type Area = (typeof areas)[number];

export interface Finding {
  readonly area: Area;
  /** A "problem" prevents a start or breaks requests. A "warning" may do so later. */
  readonly level: "ok" | "warning" | "problem";
  /** What was found. */
  readonly text: string;
  /** Why it is so, or what follows from it. Present unless the level is "ok". */
  readonly cause?: string;
  /** What to do. Present unless the level is "ok". */
  readonly remedy?: string;
}

export interface Diagnosis {
  readonly cause: string;
  readonly remedy: string;
}

export function ok(area: Area, text: string): Finding {
  return { area, level: "ok", text };
}

export function warning(area: Area, text: string, diagnosis: Diagnosis): Finding {
  return { area, level: "warning", text, ...diagnosis };
}

export function problem(area: Area, text: string, diagnosis: Diagnosis): Finding {
  return { area, level: "problem", text, ...diagnosis };
}
