// Learns that a server ends when a second connection, session or process of it begins: then it gets one at a time.

import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { UpstreamEvent } from "../connection/upstream.ts";
import { type FactStore, noteSingleTenant, recallsSingleTenant } from "./learned-facts.ts";

/** A session that ends so soon after another one began ended because of it, in ms. */
const displacementMs = 2_000;
/** One end may be a coincidence. */
const minEvidence = 2;

export interface SingleTenantDetectorOptions {
  readonly config: UpstreamConfig;
  /** Default: nothing is remembered across restarts. */
  readonly facts?: FactStore | undefined;
  onEvent?(event: UpstreamEvent): void;
}

interface StartupWindow {
  readonly id: string;
  /** Undefined as long as it is being opened. */
  openedAt: number | undefined;
  /** One beginning counts once, however many sessions end with it. */
  isCounted: boolean;
}

export class SingleTenantDetector {
  readonly #options: SingleTenantDetectorOptions;
  #recalling: Promise<void> | undefined;
  #last: StartupWindow | undefined;
  #evidence = 0;
  #isKnown = false;

  constructor(options: SingleTenantDetectorOptions) {
    this.#options = options;
  }

  /** The server has one connection at a time. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Resolves when it is known what an earlier run of the gateway learned. Never rejects. */
  recall(): Promise<void> {
    const { config, facts } = this.#options;
    if (!facts || this.#isStated) return Promise.resolve();
    this.#recalling ??= recallsSingleTenant(facts, config).then((isKnown) => {
      this.#isKnown ||= isKnown;
    });
    return this.#recalling;
  }

  /** A session begins, and so many others are open. */
  begins(id: string, others: number): void {
    if (others === 0 || this.#isStated) return;
    // It bears two, so two that ended before were a coincidence.
    if (others > 1 && !this.#isRecent()) this.#evidence = 0;
    this.#last = { id, openedAt: undefined, isCounted: false };
  }

  opened(id: string): void {
    if (this.#last?.id === id) this.#last.openedAt = Date.now();
  }

  /** A session ended by itself, or could not be opened because its connection ended, while so many others are open. */
  ended(id: string, others: number): void {
    const last = this.#last;
    if (this.#isKnown || !last || last.isCounted || !this.#isRecent()) return;
    // One that ends when no other is open was not in anybody's way.
    if (last.id === id && others === 0) return;
    last.isCounted = true;
    this.#evidence += 1;
    if (this.#evidence < minEvidence) return;
    this.#isKnown = true;
    const { config, facts, onEvent } = this.#options;
    if (facts) void noteSingleTenant(facts, config);
    onEvent?.({ kind: "single-tenant", upstream: config.name });
  }

  /** The operator knows better. */
  get #isStated(): boolean {
    return this.#options.config.sharing !== undefined;
  }

  #isRecent(): boolean {
    const last = this.#last;
    return last !== undefined && (last.openedAt === undefined || Date.now() - last.openedAt <= displacementMs);
  }
}
