// Detects that this replica alone lacks Redis, so that load balancers send its traffic elsewhere. It changes its mind slowly: a
// replica whose connection comes and goes should not enter and leave rotation all the time.
import { type Clock, every } from "@lethe/server/stores";
import type { PeersView } from "./members.ts";

export interface CutOffDetectorOptions {
  readonly evidence: {
    /** Whether Redis answers this replica. */
    readonly hasRedis: boolean;
    view(): PeersView;
  };
  readonly clock: Clock;
}

const lookEveryMs = 250;
/** How long this replica is cut off before it says so, in ms. */
const beginMs = 1_000;
/** How long it has Redis again before it says so, in ms. */
const endMs = 3_000;

export class CutOffDetector {
  readonly #options: CutOffDetectorOptions;
  readonly #cancel: () => void;
  #isCutOff = false;
  /** Since when the opposite has been true, by the clock of this process. */
  #otherwiseSince: number | undefined;

  constructor(options: CutOffDetectorOptions) {
    this.#options = options;
    this.#cancel = every(options.clock, lookEveryMs, () => this.#look());
  }

  /** Whether other replicas reach Redis and this one does not. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  close(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, evidence } = this.#options;
    const isCutOff = !evidence.hasRedis && evidence.view() === "reached";
    if (isCutOff === this.#isCutOff) {
      this.#otherwiseSince = undefined;
      return;
    }
    this.#otherwiseSince ??= clock.now();
    if (clock.now() - this.#otherwiseSince < (isCutOff ? beginMs : endMs)) return;
    this.#isCutOff = isCutOff;
    this.#otherwiseSince = undefined;
  }
}
