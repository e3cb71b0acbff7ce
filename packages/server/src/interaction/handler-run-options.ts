// What one run of a handler needs.
import type { JournalHome } from "./journal.ts";
import type { OnceSteps } from "./once-steps.ts";
import type { Replay } from "./replay.ts";
import type { Sleeps } from "./sleeps.ts";

export interface HandlerRunOptions {
  replay: Replay;
  /** In ms; see InteractionOptions. */
  replayGraceMs: number;
  digestOfText: (text: string) => Promise<string>;
  steps: OnceSteps;
  sleeps: Sleeps;
  onWarning: (warning: string) => void;
  /** Stores new entries before the handler gets their values. A rejection fails the run. Absent: stored when the round ends. */
  home?: JournalHome | undefined;
}
