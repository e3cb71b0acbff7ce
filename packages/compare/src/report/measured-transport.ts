// One transport in the report: its recording, measured and judged.
import type { Recording } from "../record/recording.ts";
import type { Measures } from "./measure.ts";
import type { SequencePart } from "./sequence.ts";
import type { UniqueHeader } from "./unique-headers.ts";
import type { Verdict } from "./verdict.ts";

/** A recorded transport with its measures and verdicts. */
export interface MeasuredTransport {
  /** Unique within the report. */
  readonly id: string;
  readonly title: string;
  readonly kind: Recording["transport"];
  /** The URL or the command line. */
  readonly endpoint: string;
  /** The negotiated protocol revision. */
  readonly revision: string | undefined;
  readonly measures: Measures;
  readonly verdicts: readonly Verdict[];
  readonly uniqueHeaders: readonly UniqueHeader[];
  readonly sequence: readonly SequencePart[];
  /** Notes for the reader. */
  readonly remarks: readonly string[];
}
