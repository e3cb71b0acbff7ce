// The result of `compare` and what `--json` writes: recordings that were made with the same script.

import type { ProbeReport } from "@lethe/probe";
import { isJsonObject } from "@lethe/protocol";
import type { Recording } from "../record/recording.ts";
import type { AbsentWay } from "./absent-way.ts";

export interface Comparison {
  readonly version: 1;
  readonly script: string;
  /** In the order of the report. One whose connect step failed is a way that the server does not have. */
  readonly recordings: readonly Recording[];
  /** Of a target: the ways that it does not have, by the probe's word. */
  readonly absent?: readonly AbsentWay[];
  /** What the probe found at the target, and at the address beside it where the older transport may be. */
  readonly probes?: readonly ProbeReport[];
}

/** Accepts a comparison or a single recording. Throws an Error for anything else. */
export function parseComparison(value: unknown): Comparison {
  if (isJsonObject(value) && value.version === 1) {
    // Our own format, told by its version: what is inside was written by us.
    if (Array.isArray(value.recordings) && value.recordings.every(isRecording)) return value as unknown as Comparison;
    if (isRecording(value)) return { version: 1, script: "", recordings: [value] };
  }
  throw new Error("expected a comparison or a recording of version 1");
}

function isRecording(value: unknown): value is Recording {
  if (!isJsonObject(value)) return false;
  return value.version === 1 && [value.exchanges, value.lines, value.steps, value.remarks].every(Array.isArray);
}
