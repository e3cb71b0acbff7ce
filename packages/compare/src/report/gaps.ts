// Groups features that failed or were not requested by reason, over all transports that share it.
import { type Feature, features } from "../script/script.ts";
import type { MeasuredTransport } from "./measured-transport.ts";

export interface Gap {
  readonly mark: "✗" | "—";
  readonly feature: Feature;
  readonly evidence: string;
  /** Indexes into the list of transports. */
  readonly transports: readonly number[];
}

/** Returns the gaps in the order of the feature table. */
export function toGaps(transports: readonly MeasuredTransport[]): Gap[] {
  const gaps = new Map<string, Gap>();
  for (const feature of Object.keys(features) as Feature[]) {
    transports.forEach(({ verdicts }, index) => {
      const verdict = verdicts.find((one) => one.feature === feature);
      if (!verdict || verdict.mark === "✓") return;
      const { mark, evidence } = verdict;
      const key = `${mark} ${feature} ${evidence}`;
      const same = gaps.get(key);
      gaps.set(
        key,
        same ? { ...same, transports: [...same.transports, index] } : { mark, feature, evidence, transports: [index] },
      );
    });
  }
  return [...gaps.values()];
}
