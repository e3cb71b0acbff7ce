// The second connection of an upstream that speaks both eras: its older one, opened when a request needs it for the first
// time. An upstream that turns out to speak only one era, or to bear only one client, keeps its one connection.
import { type Connection, isTransportError, TransportError } from "@lethe/client";
import { type Era, isMcpError } from "@lethe/protocol";
import { withTimeout } from "../connection/with-timeout.ts";
import { type EraDifferences, noDifferences } from "./era-differences.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

export interface LegacyEraOptions {
  /** The sessions of the older era, which are not started yet. */
  create(): UpstreamSessions;
  /** Reads what the older era offers. Never rejects. */
  read(): Promise<void>;
  /** A tool was found to need the older era: where it goes from now on, or cannot go. */
  onTool?(tool: string, isSwitched: boolean): void;
  /** How long opening and reading may take, in ms: requests wait for it. Default 10,000. */
  openTimeoutMs?: number;
  /** After an attempt that did not reach the upstream, in ms; doubles each time, up to an hour. Default 60,000. */
  retryAfterMs?: number;
}

/** Tools that are remembered of one upstream: as many as its lists may hold by default. */
const maxTools = 10_000;
const longestRetryMs = 3_600_000;
/** When the first connection ends so soon after the second one was opened, in ms, the upstream bears only one client. */
const settlingMs = 5_000;

export class LegacyEra {
  readonly #options: LegacyEraOptions;
  readonly #tools: Set<string> = new Set();
  /** Tools that ask by `input_required`, which some servers send on connections of the newer era only. */
  readonly #modernTools: Set<string> = new Set();
  readonly #missed: Set<string> = new Set();
  /** Set by the catalogue. */
  differences: EraDifferences = noDifferences;
  /** Also while they are being opened. */
  #candidate: UpstreamSessions | undefined;
  #isOpen = false;
  #opening: Promise<UpstreamSessions | undefined> | undefined;
  /** ms since 1970; no attempt before. */
  #nextAt = 0;
  #pauseMs: number;
  #isClosed = false;
  /** The end of what was opened in vain. */
  #ending: Promise<void> | undefined;

  constructor(options: LegacyEraOptions) {
    this.#options = options;
    this.#pauseMs = options.retryAfterMs ?? 60_000;
  }

  /** Undefined until they are open. From then on they stay: sessions of callers are there. */
  get sessions(): UpstreamSessions | undefined {
    return this.#isOpen ? this.#candidate : undefined;
  }

  /** Whether an attempt to open it may change something. */
  isWorthOpening(main: UpstreamSessions): boolean {
    return !this.#isOpen && !this.#isClosed && Date.now() >= this.#nextAt && canSpeakBoth(main);
  }

  /** Never rejects. Undefined where the upstream has only one era, or bears only one client. */
  open(main: UpstreamSessions): Promise<UpstreamSessions | undefined> {
    if (this.#isOpen) return Promise.resolve(this.sessions);
    if (!this.#opening && !this.isWorthOpening(main)) return Promise.resolve(undefined);
    this.#opening ??= this.#open(main).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** The era that calls of a tool go to for all callers; undefined where that depends on the caller. */
  eraOf(tool: string): Era | undefined {
    if (this.#tools.has(tool)) return "legacy";
    return this.#modernTools.has(tool) ? "modern" : undefined;
  }

  /** The tools whose calls go to the older era for all callers. */
  get tools(): readonly string[] {
    return [...this.#tools];
  }

  /** Adds the tools that an earlier run of the gateway learned. */
  restore(tools: readonly string[]): void {
    for (const tool of tools) if (!this.#modernTools.has(tool)) this.#tools.add(tool);
  }

  /** From now on, calls of this tool go to this era. */
  learn(tool: string, era: Era): void {
    const learnt = era === "legacy" ? this.#tools : this.#modernTools;
    if (learnt.has(tool) || learnt.size >= maxTools) return;
    (era === "legacy" ? this.#modernTools : this.#tools).delete(tool);
    learnt.add(tool);
    if (era === "legacy") this.#options.onTool?.(tool, true);
  }

  /** This tool needs the older era, and there is none that it could use. */
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
    // The probe may find that there is only one era, or only one session.
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
    // Callers do not wait until a process has ended.
    this.#ending = sessions?.close();
  }
}

/** As far as the configuration and the verdict tell. */
function canSpeakBoth({ config, verdict }: UpstreamSessions): boolean {
  if (config.era !== undefined || verdict?.era !== "modern" || verdict.sharing === "single") return false;
  const { isSpoken, contract } = verdict.eras.legacy;
  // Without a session the older era offers no more than the newer one.
  return isSpoken !== false && contract !== "single-tenant" && contract !== "none";
}

/** False for what the upstream has said, and for a process that does not run beside another one. */
function isPassing(error: unknown, { config }: UpstreamSessions): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (isMcpError(cause) || !isTransportError(cause)) return false;
  return config.kind === "http" || cause.reason === "timeout" || cause.reason === "cancelled";
}

/** The sessions of an upstream, and those of its second connection if that is open. */
export function bothErasOf(main: UpstreamSessions): readonly UpstreamSessions[] {
  const older = main.legacyEra?.sessions;
  return older ? [main, older] : [main];
}

/** Waits for the older era of every upstream that may have one, `waitMs` at most in all. Never rejects. */
export function untilErasOpen(upstreams: Iterable<UpstreamSessions>, waitMs: number): Promise<void> | undefined {
  const waiting: Promise<unknown>[] = [];
  for (const main of upstreams) if (main.legacyEra?.isWorthOpening(main)) waiting.push(main.legacyEra.open(main));
  if (waiting.length === 0) return undefined;
  return withTimeout(waitMs, Promise.all(waiting), () => new Error("late")).then(nothing, nothing);
}

function nothing(): void {}
