// What does not work or was not requested, and why: said once for all ways that share the reason.
import { type Feature, features } from "../script/script.ts";
import type { MeasuredWay } from "./measured-way.ts";

export interface Gap {
  readonly mark: "✗" | "—";
  readonly feature: Feature;
  readonly evidence: string;
  /** Places in the list of ways. */
  readonly ways: readonly number[];
}

/** In the order of the matrix. */
export function toGaps(ways: readonly MeasuredWay[]): Gap[] {
  const gaps = new Map<string, Gap>();
  for (const feature of Object.keys(features) as Feature[]) {
    ways.forEach(({ verdicts }, index) => {
      const verdict = verdicts.find((one) => one.feature === feature);
      if (!verdict || verdict.mark === "✓") return;
      const { mark, evidence } = verdict;
      const key = `${mark} ${feature} ${evidence}`;
      const same = gaps.get(key);
      gaps.set(key, same ? { ...same, ways: [...same.ways, index] } : { mark, feature, evidence, ways: [index] });
    });
  }
  return [...gaps.values()];
}
