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
  /** Whether another session was open. False if others were only being opened. */
  readonly isBesideOpen: boolean;
  /** Undefined while the session is opening. */
  openedAt: number | undefined;
  /** Each beginning counts once, even if several sessions end with it. */
  isCounted: boolean;
}

export class SingleTenantDetector {
  readonly #options: SingleTenantDetectorOptions;
  #recalling: Promise<void> | undefined;
  #last: StartupWindow | undefined;
  /** Since when several sessions are open. Undefined while there are fewer. */
  #severalSince: number | undefined;
  #evidence = 0;
  #isSuspected = false;
  #isKnown = false;

  constructor(options: SingleTenantDetectorOptions) {
    this.#options = options;
  }

  /** Whether the server accepts one connection at a time. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Whether a connection ended when another one began. Sessions then open one after the other, which shows the cause. */
  get isSuspected(): boolean {
    return this.#isSuspected || this.#isKnown;
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

  /** A session begins while this many others are open, and this many are being opened. */
  begins(id: string, open: number, opening = 0): void {
    if (open + opening === 0 || this.#isStated) return;
    this.#see(open);
    if (open > 1 && !this.#isRecent()) this.#clear();
    this.#last = { id, isBesideOpen: open > 0, openedAt: undefined, isCounted: false };
  }

  opened(id: string): void {
    if (this.#last?.id === id) this.#last.openedAt = Date.now();
  }

  /**
   * A session ended by itself, or failed to open because its connection broke off, while this many others are open. Returns
   * whether the beginning of another session explains it.
   */
  ended(id: string, others: number): boolean {
    this.#see(others);
    const last = this.#last;
    if (!last || !this.#isRecent() || this.#keepsSeveral) return false;
    if (last.isCounted) return true;
    // Without other sessions, nothing displaced it.
    if (last.id === id && last.isBesideOpen && others === 0) return false;
    last.isCounted = true;
    this.#isSuspected = true;
    // Two openings that fail together may show a server that cannot start.
    if (last.isBesideOpen) this.#count();
    return true;
  }

  /** On a busy server, some session always begins shortly before another one ends. */
  #see(open: number): void {
    if (open < 2) this.#severalSince = undefined;
    else this.#severalSince ??= Date.now();
    if (this.#keepsSeveral) this.#clear();
  }

  get #keepsSeveral(): boolean {
    return this.#severalSince !== undefined && Date.now() - this.#severalSince > displacementMs;
  }

  /** The server keeps two connections open, so earlier displacements were a coincidence. */
  #clear(): void {
    this.#evidence = 0;
    this.#isSuspected = false;
  }

  #count(): void {
    this.#evidence += 1;
    if (this.#isKnown || this.#evidence < minEvidence) return;
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
