// The report of one probe. The README of the package describes it. `version` grows when a member is removed or changes its
// meaning, not when one is added.
import type { InstanceFinding, Transport } from "../behaviour/findings.ts";
import type { Problem } from "../behaviour/problem.ts";
import type { Confidence } from "../behaviour/session-contract.ts";
import type { Hint } from "../hints/hint.ts";
import type { Advice } from "../verdict/advice.ts";
import type { EraVerdict, Word } from "../verdict/era-verdict.ts";
import type { Features } from "../verdict/features.ts";
import type { Evidence } from "./evidence.ts";

/** The result of a probe. A new member does not change `version`; a removed or redefined member does. */
export interface ProbeReport {
  readonly version: 1;
  readonly target: { readonly name?: string; readonly kind: "http" | "command"; readonly address: string };
  /** The verdict on the server: that of the newest era that it speaks. */
  readonly word: Word;
  readonly confidence: Confidence;
  /** The era of the verdict. */
  readonly era?: "modern" | "legacy";
  /** The source of the verdict. Hints decide only if they were requested alone. */
  readonly decidedBy: "behaviour" | "configuration" | "capabilities" | "metadata";
  /** Why the verdict is UNKNOWN, with advice. */
  readonly problem?: Problem;
  readonly eras: { readonly modern: EraVerdict; readonly legacy: EraVerdict };
  readonly transport?: Transport;
  readonly features: Features;
  /** Methods of the requests that the server sent during the probe. */
  readonly serverRequests: readonly string[];
  readonly advice: Advice;
  /** Results for `replicas` and `restart`: whether a session continues on another instance. */
  readonly instances: readonly InstanceFinding[];
  /** Hints. They never change a verdict by behaviour. */
  readonly hints: readonly Hint[];
  /** Signs that tools keep state between calls, in the process or under an argument. They change no verdict. */
  readonly keptState: readonly string[];
  readonly remarks: readonly string[];
  /** Sessions that the server did not end on request. They last until the server expires them. */
  readonly leftovers: readonly { readonly sessionId: string; readonly answer: string }[];
  readonly requests: number;
  readonly ms: number;
  readonly evidence: readonly Evidence[];
  readonly caution: string;
}

/** The sentence of every report about what a probe cannot see: state in the process of the server. */
export const caution: string =
  "The verdict is about sessions of the protocol. A server without sessions may still keep state in its process (a file, a " +
  "database, an open browser), which no probe can see: STATELESS does not mean safe to share between users.";
