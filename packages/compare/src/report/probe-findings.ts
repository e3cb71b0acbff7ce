// What the probe found out about a target before and between the recordings, in its own words.
import { type Fact, type ProbeReport, toFacts } from "@lethe/probe";

export interface ProbeFindings {
  readonly address: string;
  readonly word: ProbeReport["word"];
  readonly facts: readonly Fact[];
  /** "#1 server/discover ← 404": what the numbers of the facts refer to. */
  readonly exchanges: readonly string[];
}

/** What the rest of this report measures is not guessed here. */
const left: ReadonlySet<string> = new Set(["gateway", "hint", "offers"]);

export function toProbeFindings({ target, word, evidence, ...rest }: ProbeReport): ProbeFindings {
  const facts = toFacts({ target, word, evidence, ...rest }).filter(({ title }) => !left.has(title));
  return {
    address: target.address,
    word,
    facts,
    exchanges: evidence.map(({ number, what, answer }) => `#${number} ${what} ← ${answer}`),
  };
}
