// The older era of an upstream that speaks both: a second connection, opened when a request first needs it. An upstream that
// turns out to speak one era only, or to accept one client only, keeps its one connection.
import { type Connection, isTransportError, TransportError } from "@lethe/client";
import { type Era, isMcpError } from "@lethe/protocol";
import { withTimeout } from "../connection/with-timeout.ts";
import { type EraDifferences, noDifferences } from "./era-differences.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

export interface LegacyEraOptions {
  /** Creates the sessions of the older era without starting them. */
  create(): UpstreamSessions;
  /** Reads the lists of the older era. Never rejects. */
  read(): Promise<void>;
  /** Called when a tool turns out to need the older era. `isSwitched` says whether its calls can use that era from now on. */
  onTool?(tool: string, isSwitched: boolean): void;
  /** How long opening and reading may take, in ms. Requests wait for it. Default 10,000. */
  openTimeoutMs?: number;
  /**
   * The pause after an attempt that did not reach the upstream, in ms. It doubles each time, up to one hour. Default 60,000.
   */
  retryAfterMs?: number;
}

/** The number of remembered tools per upstream: the default limit of a tool list. */
const maxTools = 10_000;
const longestRetryMs = 3_600_000;
/** If the first connection ends this soon after the second one opened, in ms, the upstream accepts only one client. */
const settlingMs = 5_000;

export class LegacyEra {
  readonly #options: LegacyEraOptions;
  readonly #tools: Set<string> = new Set();
  /** Tools that answer with `input_required`, which some servers do on connections of the newer era only. */
  readonly #modernTools: Set<string> = new Set();
  readonly #missed: Set<string> = new Set();
  /** Set by the catalog. */
  differences: EraDifferences = noDifferences;
  /** The sessions, also while they are being opened. */
  #candidate: UpstreamSessions | undefined;
  #isOpen = false;
  #opening: Promise<UpstreamSessions | undefined> | undefined;
  /** The time of the next attempt, in ms since 1970. */
  #nextAt = 0;
  #pauseMs: number;
  #isClosed = false;
  /** Settles when a failed attempt has been cleaned up. */
  #ending: Promise<void> | undefined;

  constructor(options: LegacyEraOptions) {
    this.#options = options;
    this.#pauseMs = options.retryAfterMs ?? 60_000;
  }

  /** Undefined until the older era is open. Then it stays open, because callers have sessions there. */
  get sessions(): UpstreamSessions | undefined {
    return this.#isOpen ? this.#candidate : undefined;
  }

  /** Whether an attempt to open the older era may succeed. */
  isWorthOpening(main: UpstreamSessions): boolean {
    return !this.#isOpen && !this.#isClosed && Date.now() >= this.#nextAt && canSpeakBoth(main);
  }

  /**
   * Opens the older era. Resolves with undefined if the upstream has one era only or accepts one client only. Never rejects.
   */
  open(main: UpstreamSessions): Promise<UpstreamSessions | undefined> {
    if (this.#isOpen) return Promise.resolve(this.sessions);
    if (!this.#opening && !this.isWorthOpening(main)) return Promise.resolve(undefined);
    this.#opening ??= this.#open(main).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Returns the era of a tool's calls for all callers, or undefined if it depends on the caller. */
  eraOf(tool: string): Era | undefined {
    if (this.#tools.has(tool)) return "legacy";
    return this.#modernTools.has(tool) ? "modern" : undefined;
  }

  /** The tools whose calls use the older era for all callers. */
  get tools(): readonly string[] {
    return [...this.#tools];
  }

  /** Adds the tools that an earlier run of the gateway learned. */
  restore(tools: readonly string[]): void {
    for (const tool of tools) if (!this.#modernTools.has(tool)) this.#tools.add(tool);
  }

  /** Sends the calls of a tool to this era from now on. */
  learn(tool: string, era: Era): void {
    const learnt = era === "legacy" ? this.#tools : this.#modernTools;
    if (learnt.has(tool) || learnt.size >= maxTools) return;
    (era === "legacy" ? this.#modernTools : this.#tools).delete(tool);
    learnt.add(tool);
    if (era === "legacy") this.#options.onTool?.(tool, true);
  }

  /** Reports a tool that needs the older era, although the upstream has none that is usable. */
  miss(tool: string): void {
    if (this.#missed.has(tool) || this.#missed.size >= maxTools) return;
    this.#missed.add(tool);
    this.#options.onTool?.(tool, false);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#candidate?.close(), this.#ending]);
  }

  async #open(main: UpstreamSessions): Promise<UpstreamSessions | undefined> {
    // The probe may find that the upstream has one era or one session only.
    await main.settled;
    if (!this.isWorthOpening(main)) return undefined;
    const { create, read, openTimeoutMs = 10_000 } = this.#options;
    const sessions = create();
    this.#candidate = sessions;
    const first = main.connection;
    try {
      const late = () => new TransportError("timeout", `no end within ${openTimeoutMs} ms`);
      const connection = await withTimeout(openTimeoutMs, sessions.start(), late);
      if (!connection.isStateful) throw new Error("without a session the older era offers no more than the newer one");
      if (first && main.connection !== first) throw new Error("a second client has ended the first one");
      await read();
      if (this.#isClosed) return undefined;
      this.#isOpen = true;
      if (first) void this.#watch(first);
      return sessions;
    } catch (error) {
      this.#giveUp(isPassing(error, main));
      return undefined;
    }
  }

  async #watch(first: Connection): Promise<void> {
    const hasEnded = await withTimeout(settlingMs, first.closed, () => new Error("settled")).catch(() => undefined);
    if (hasEnded && !this.#isClosed) this.#giveUp(false);
  }

  #giveUp(isPassing: boolean): void {
    const sessions = this.#candidate;
    this.#candidate = undefined;
    this.#isOpen = false;
    this.#nextAt = isPassing ? Date.now() + this.#pauseMs : Number.POSITIVE_INFINITY;
    this.#pauseMs = Math.min(longestRetryMs, this.#pauseMs * 2);
    // Callers do not wait for a process to end.
    this.#ending = sessions?.close();
  }
}

/** Whether the configuration and the verdict allow a second era. */
function canSpeakBoth({ config, verdict }: UpstreamSessions): boolean {
  if (config.era !== undefined || verdict?.era !== "modern" || verdict.sharing === "single") return false;
  const { isSpoken, contract } = verdict.eras.legacy;
  // Without sessions, the older era offers nothing that the newer one lacks.
  return isSpoken !== false && contract !== "single-tenant" && contract !== "none";
}

/** Whether a later attempt may succeed. False for an error response, and for a process that does not run beside another one. */
function isPassing(error: unknown, { config }: UpstreamSessions): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (isMcpError(cause) || !isTransportError(cause)) return false;
  return config.kind === "http" || cause.reason === "timeout" || cause.reason === "cancelled";
}

/** The sessions of an upstream, and those of its older era if that is open. */
export function bothErasOf(main: UpstreamSessions): readonly UpstreamSessions[] {
  const older = main.legacyEra?.sessions;
  return older ? [main, older] : [main];
}

/** Waits until the older eras of these upstreams are open, for `waitMs` at most in all. Never rejects. */
export function untilErasOpen(upstreams: Iterable<UpstreamSessions>, waitMs: number): Promise<void> | undefined {
  const waiting: Promise<unknown>[] = [];
  for (const main of upstreams) if (main.legacyEra?.isWorthOpening(main)) waiting.push(main.legacyEra.open(main));
  if (waiting.length === 0) return undefined;
  return withTimeout(waitMs, Promise.all(waiting), () => new Error("late")).then(nothing, nothing);
}

function nothing(): void {}
