// Detects servers that end a connection when a second one begins. Such a server gets one connection at a time.

import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { UpstreamEvent } from "../connection/upstream.ts";
import { type FactStore, noteSingleTenant, recallsSingleTenant } from "./learned-facts.ts";

/** A session that ends within this time after another one began was displaced by it, in ms. */
const displacementMs = 2_000;
/** A single displacement may be a coincidence. */
const minEvidence = 2;

export interface SingleTenantDetectorOptions {
  readonly config: UpstreamConfig;
  /** Remembers the result across restarts. Default: not remembered. */
  readonly facts?: FactStore | undefined;
  onEvent?(event: UpstreamEvent): void;
}

interface StartupWindow {
  readonly id: string;
  /** Undefined while the session is opening. */
  openedAt: number | undefined;
  /** Each beginning counts once, even if several sessions end with it. */
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

  /** Whether the server accepts one connection at a time. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Resolves when the result of an earlier run is loaded. Never rejects. */
  recall(): Promise<void> {
    const { config, facts } = this.#options;
    if (!facts || this.#isStated) return Promise.resolve();
    this.#recalling ??= recallsSingleTenant(facts, config).then((isKnown) => {
      this.#isKnown ||= isKnown;
    });
    return this.#recalling;
  }

  /** A session begins while this many others are open. */
  begins(id: string, others: number): void {
    if (others === 0 || this.#isStated) return;
    // The server keeps two connections open, so earlier displacements were a coincidence.
    if (others > 1 && !this.#isRecent()) this.#evidence = 0;
    this.#last = { id, openedAt: undefined, isCounted: false };
  }

  opened(id: string): void {
    if (this.#last?.id === id) this.#last.openedAt = Date.now();
  }

  /** A session ended by itself, or failed to open because its connection ended, while this many others are open. */
  ended(id: string, others: number): void {
    const last = this.#last;
    if (this.#isKnown || !last || last.isCounted || !this.#isRecent()) return;
    // Without other sessions, nothing displaced it.
    if (last.id === id && others === 0) return;
    last.isCounted = true;
    this.#evidence += 1;
    if (this.#evidence < minEvidence) return;
    this.#isKnown = true;
    const { config, facts, onEvent } = this.#options;
    if (facts) void noteSingleTenant(facts, config);
    onEvent?.({ kind: "single-tenant", upstream: config.name });
  }

  /** Whether the configuration states how the server may be shared. */
  get #isStated(): boolean {
    return this.#options.config.sharing !== undefined;
  }

  #isRecent(): boolean {
    const last = this.#last;
    return last !== undefined && (last.openedAt === undefined || Date.now() - last.openedAt <= displacementMs);
  }
}
