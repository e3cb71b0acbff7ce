// What holds for all interactions of one server: the seal, and how much a call may ask.
import { createDigestMemory } from "../seal/digest.ts";
import type { Seal } from "../seal/seal.ts";
import type { SingleUse } from "../seal/single-use.ts";

export interface InteractionOptions {
  seal: Seal;
  /** Absent: a state may be answered as often as its token lasts. */
  singleUse?: SingleUse | undefined;
  /** How often one call may answer `input_required`; default 10 (E-25). */
  maxRounds?: number;
  /** Questions of one round; default 16. */
  maxQuestions?: number;
  /** Bytes of the journal as JSON; default 64 KiB. The seal has a limit of its own. */
  maxJournalBytes?: number;
  /**
   * ms; default 2000. How long a handler that asks something new may take to come to the questions whose answers are
   * already there, before its replay counts as another run.
   */
  replayGraceMs?: number;
  /** Told of handlers that catch what they should not, and of a missing key. Default: each once, on the console. */
  onWarning?: (warning: string) => void;
}

export interface InteractionSettings extends Readonly<Required<Omit<InteractionOptions, "singleUse">>> {
  readonly singleUse: SingleUse | undefined;
  /** Of the canonical JSON of a question. */
  readonly digestOfText: (text: string) => Promise<string>;
}

/** Made once per server. */
export function createInteractionSettings(options: InteractionOptions): InteractionSettings {
  return {
    seal: options.seal,
    singleUse: options.singleUse,
    maxRounds: options.maxRounds ?? 10,
    maxQuestions: options.maxQuestions ?? 16,
    maxJournalBytes: options.maxJournalBytes ?? 65_536,
    replayGraceMs: options.replayGraceMs ?? 2_000,
    onWarning: options.onWarning ?? createConsoleWarning(),
    digestOfText: createDigestMemory(),
  };
}

const maxRemembered = 1_000;

function createConsoleWarning(): (warning: string) => void {
  const seen = new Set<string>();
  return (warning) => {
    if (seen.has(warning) || seen.size >= maxRemembered) return;
    seen.add(warning);
    console.warn(warning);
  };
}
