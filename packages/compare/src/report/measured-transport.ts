// One transport to reach a server as the report shows it: what was recorded of it, measured and judged.
import type { Recording } from "../record/recording.ts";
import type { Measures } from "./measure.ts";
import type { SequencePart } from "./sequence.ts";
import type { UniqueHeader } from "./unique-headers.ts";
import type { Verdict } from "./verdict.ts";

export interface MeasuredTransport {
  readonly id: string;
  readonly title: string;
  readonly kind: Recording["transport"];
  readonly endpoint: string;
  readonly revision: string | undefined;
  readonly measures: Measures;
  readonly verdicts: readonly Verdict[];
  readonly uniqueHeaders: readonly UniqueHeader[];
  readonly sequence: readonly SequencePart[];
  readonly remarks: readonly string[];
}
