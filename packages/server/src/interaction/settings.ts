// The settings of input requests: the seal, and the limits of a call.
import { createDigestMemory } from "../seal/digest.ts";
import type { Seal } from "../seal/seal.ts";
import type { SingleUse } from "../seal/single-use.ts";

export interface InteractionOptions {
  seal: Seal;
  /** Absent: a state may be answered repeatedly until its token expires. */
  singleUse?: SingleUse | undefined;
  /** Rounds of input requests per call. Default 10. */
  maxRounds?: number;
  /** Input requests per round. Default 16. */
  maxInputRequests?: number;
  /** Size of the journal as JSON, in bytes. Default 64 KiB. The seal has its own limit. */
  maxJournalBytes?: number;
  /**
   * How long a handler that makes a new request may take to repeat the answered ones before the replay fails, in ms.
   * Default 2,000.
   */
  replayGraceMs?: number;
  /** How long `ctx.sleep` may wait in a call that is no task, in ms. Default 10,000 (10 s). */
  maxSleepMs?: number;
  /** Called for a handler that catches a suspension, and for a missing key. Default: console.warn, once each. */
  onWarning?: (warning: string) => void;
}

export interface InteractionSettings extends Readonly<Required<Omit<InteractionOptions, "singleUse">>> {
  readonly singleUse: SingleUse | undefined;
  /** Returns the digest of a request's canonical JSON. */
  readonly digestOfText: (text: string) => Promise<string>;
}

/** Made once per server. */
export function createInteractionSettings(options: InteractionOptions): InteractionSettings {
  return {
    seal: options.seal,
    singleUse: options.singleUse,
    maxRounds: options.maxRounds ?? 10,
    maxInputRequests: options.maxInputRequests ?? 16,
    maxJournalBytes: options.maxJournalBytes ?? 65_536,
    replayGraceMs: options.replayGraceMs ?? 2_000,
    maxSleepMs: options.maxSleepMs ?? 10_000,
    onWarning: options.onWarning ?? createConsoleWarning(),
    digestOfText: createDigestMemory(),
  };
}

const maxRemembered = 1_000;

/** Writes each warning once, up to 1,000 different ones. */
export function createConsoleWarning(): (warning: string) => void {
  const seen = new Set<string>();
  return (warning) => {
    if (seen.has(warning) || seen.size >= maxRemembered) return;
    seen.add(warning);
    console.warn(warning);
  };
}
