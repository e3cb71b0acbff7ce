// The report of one probe: a stable shape, described in the package's README. `version` grows when a member changes its
// meaning or goes; new members do not count.
import type { InstanceFinding, Transport } from "../behaviour/findings.ts";
import type { Problem } from "../behaviour/problem.ts";
import type { Confidence } from "../behaviour/session-contract.ts";
import type { Hint } from "../hints/hint.ts";
import type { Advice } from "../verdict/advice.ts";
import type { EraVerdict, Word } from "../verdict/era-verdict.ts";
import type { Features } from "../verdict/features.ts";
import type { Evidence } from "./evidence.ts";

export interface ProbeReport {
  readonly version: 1;
  readonly target: { readonly name?: string; readonly kind: "http" | "command"; readonly address: string };
  /** The word for the whole server: that of the newest era which it speaks. */
  readonly word: Word;
  readonly confidence: Confidence;
  /** The era whose word it is. */
  readonly era?: "modern" | "legacy";
  /** Where the word comes from. Hints decide only when they were asked for alone. */
  readonly decidedBy: "behaviour" | "configuration" | "capabilities" | "metadata";
  /** Why the word is UNKNOWN, and what to do. */
  readonly problem?: Problem;
  readonly eras: { readonly modern: EraVerdict; readonly legacy: EraVerdict };
  readonly transport?: Transport;
  readonly features: Features;
  /** Methods of the requests that the server made to its client while it was probed. */
  readonly serverRequests: readonly string[];
  readonly advice: Advice;
  /** Of `replicas` and `restart`: does what began in one place go on in another? */
  readonly instances: readonly InstanceFinding[];
  /** Guesses of the cheap methods. They change no behavioural verdict. */
  readonly hints: readonly Hint[];
  /** Signs that tools keep state between calls, in the process or under an argument. They change no verdict. */
  readonly keptState: readonly string[];
  readonly remarks: readonly string[];
  /** Sessions that the server did not end when asked to: it keeps them until it forgets them by itself. */
  readonly leftovers: readonly { readonly sessionId: string; readonly answer: string }[];
  readonly requests: number;
  readonly ms: number;
  readonly evidence: readonly Evidence[];
  readonly caution: string;
}

export const caution: string =
  "This is about sessions of the protocol. A server without one may still keep state in its process (a file, a database, an " +
  "open browser), which no probe can see: STATELESS does not mean safe to share between users.";
