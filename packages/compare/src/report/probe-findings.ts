// The findings of the probe that the report shows.
import { type Fact, type ProbeReport, toFacts } from "@lethe/probe";

export interface ProbeFindings {
  readonly address: string;
  readonly word: ProbeReport["word"];
  readonly facts: readonly Fact[];
  /** The exchanges that the facts refer to: "#1 server/discover ← 404". */
  readonly exchanges: readonly string[];
}

/** Facts that the report leaves out because it measures them itself. */
const omitted: ReadonlySet<string> = new Set(["gateway", "hint", "offers"]);

export function toProbeFindings({ target, word, evidence, ...rest }: ProbeReport): ProbeFindings {
  const facts = toFacts({ target, word, evidence, ...rest }).filter(({ title }) => !omitted.has(title));
  return {
    address: target.address,
    word,
    facts,
    exchanges: evidence.map(({ number, what, answer }) => `#${number} ${what} ← ${answer}`),
  };
}
