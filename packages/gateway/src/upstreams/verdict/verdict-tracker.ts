// Tracks the verdict on one upstream: from the configuration, the probe, or else its connections. Probes again when the
// upstream contradicts the verdict.
import type { Connection } from "@lethe/client";
import type { ProbeReport } from "@lethe/probe";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { Transport } from "../connection/open-connection.ts";
import { withTimeout } from "../connection/with-timeout.ts";
import { doubtOfConnection } from "./contradiction.ts";
import { toProbedVerdict, toUnknown } from "./probed-verdict.ts";
import { isOverruled, isStated, withStatement } from "./stated-verdict.ts";
import { toConnectionVerdict, type Verdict } from "./verdict.ts";

/** Probes the upstream. Aborting the signal ends the probe early, after clean-up; then it rejects. */
export type ProbeUpstream = (signal: AbortSignal) => Promise<ProbeReport>;

export interface VerdictTrackerOptions {
  config: UpstreamConfig;
  /** Absent if connections are the only source of information. */
  probe?: ProbeUpstream | undefined;
  /** The transport, as far as it is known. */
  transport(): Transport;
  /** How long a probe may take, in ms. Default 10,000. */
  probeTimeoutMs?: number | undefined;
  /**
   * How long contradictions are ignored after a probe, in ms. Doubles with each probe that changes nothing, up to one hour.
   * Default 60,000.
   */
  probeAgainMs?: number | undefined;
  onVerdict(change: VerdictChange): void;
  /** Called instead of a probe where there is none: only a new connection can show more. */
  onDoubt(because: string): void;
}

export interface VerdictChange {
  readonly verdict: Verdict;
  /** Absent for the first verdict, which the probe may still replace. */
  readonly before?: Verdict;
  /** What contradicted the previous verdict. */
  readonly because?: string;
}

const longestPauseMs = 3_600_000;
const cleanUpMs = 1_000;

export class VerdictTracker {
  /** Undefined before the first connection. */
  verdict: Verdict | undefined;
  readonly #options: VerdictTrackerOptions;
  readonly #stop: AbortController = new AbortController();
  #probing: Promise<void> | undefined;
  #cleaning: Promise<unknown> | undefined;
  #isFirst = true;
  #pauseMs: number;
  #nextProbeAt = 0;

  constructor(options: VerdictTrackerOptions) {
    this.#options = options;
    this.#pauseMs = this.#firstPauseMs;
  }

  /** Whether the first probe is running and the connection alone does not show enough. */
  get isOpen(): boolean {
    return this.#isFirst && this.#probing !== undefined && this.verdict?.sharing !== "shared";
  }

  /** Resolves when no probe is running. */
  get settled(): Promise<void> {
    return this.#probing ?? Promise.resolve();
  }

  /** Call this with every opened connection. */
  see(connection: Connection, isOwn: boolean): void {
    const { verdict } = this;
    if (!verdict) this.#begin(connection);
    else if (!this.#probe) {
      if (isOwn) this.#follow(connection, verdict);
    } else if (!this.#probing) {
      const because = doubtOfConnection(verdict, connection);
      if (because !== undefined) this.doubt(because, connection);
    }
  }

  /** Reports something that contradicts the verdict. */
  doubt(because: string, connection: Connection | undefined): void {
    const { config, onDoubt } = this.#options;
    if (!this.verdict || this.#probing || this.#stop.signal.aborted || Date.now() < this.#nextProbeAt) return;
    const probe = this.#probe;
    this.#wait();
    if (probe && connection) this.#find(probe, connection, because);
    else if (!probe && config.kind === "http") {
      this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
      onDoubt(because);
    }
  }

  /** Resolves when the probe has cleaned up, or after a timeout. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the upstream is stopped"));
    const cleaning = Promise.resolve(this.#cleaning);
    await withTimeout(cleanUpMs, cleaning, () => new Error("late")).catch(() => {});
  }

  /** With a second event stream, some servers confuse the responses of clients or end when it is closed. */
  get #probe(): ProbeUpstream | undefined {
    return this.#options.transport() === "http-sse" ? undefined : this.#options.probe;
  }

  get #firstPauseMs(): number {
    return this.#options.probeAgainMs ?? 60_000;
  }

  #shown(connection: Connection): Verdict {
    const { config, transport } = this.#options;
    return toConnectionVerdict(config, connection, transport());
  }

  #begin(connection: Connection): void {
    const { config } = this.#options;
    const probe = this.#probe;
    const verdict = withStatement(config, this.#shown(connection));
    const isAsked = probe !== undefined && (!isStated(config) || isOverruled(config, verdict));
    this.#isFirst = isAsked;
    this.#adopt({ verdict });
    if (isAsked) this.#find(probe, connection);
  }

  /** Without a probe, each new connection of the gateway itself gets a new verdict. */
  #follow(connection: Connection, before: Verdict): void {
    const { config } = this.#options;
    const verdict = withStatement(config, this.#shown(connection));
    if (isSame(verdict, before)) return;
    this.#pauseMs = this.#firstPauseMs;
    this.#adopt({ verdict, before, because: `a new connection speaks ${connection.revision}: ${verdict.because}` });
  }

  #wait(): void {
    this.#nextProbeAt = Date.now() + this.#pauseMs;
  }

  #find(probe: ProbeUpstream, connection: Connection, because?: string): void {
    this.#probing = this.#ask(probe, connection, because).finally(() => {
      this.#probing = undefined;
      this.#isFirst = false;
    });
  }

  async #ask(probe: ProbeUpstream, connection: Connection, because: string | undefined): Promise<void> {
    const { config, probeTimeoutMs = 10_000 } = this.#options;
    const before = this.verdict as Verdict;
    const shown = this.#shown(connection);
    const found = await this.#run(probe, probeTimeoutMs).then(
      (report) => toProbedVerdict(report, config, shown),
      (error: Error) => toUnknown(error.message, shown),
    );
    if (this.#stop.signal.aborted) return;
    if (because === undefined) return this.#adopt({ verdict: withStatement(config, found), before });
    // A probe without a result changes nothing.
    const next = found.word === "UNKNOWN" ? { ...before, warnings: found.warnings } : withStatement(config, found);
    this.#pauseMs = isSame(next, before) ? Math.min(longestPauseMs, this.#pauseMs * 2) : this.#firstPauseMs;
    this.#wait();
    const evidence = [`probed again: ${because}`, ...found.evidence];
    this.#adopt({ verdict: { ...next, evidence }, before, because });
  }

  async #run(probe: ProbeUpstream, timeoutMs: number): Promise<ProbeReport> {
    const deadline = new AbortController();
    const late = () => {
      const error = new Error(`no end within ${timeoutMs} ms`);
      deadline.abort(error);
      return error;
    };
    const running = probe(AbortSignal.any([this.#stop.signal, deadline.signal]));
    this.#cleaning = running.catch(() => {});
    return await withTimeout(timeoutMs, running, late);
  }

  #adopt(change: VerdictChange): void {
    this.verdict = change.verdict;
    this.#options.onVerdict(change);
  }
}

/** Two verdicts are the same if connections are used in the same way. */
export function isSame(one: Verdict, other: Verdict): boolean {
  return one.sharing === other.sharing && one.era === other.era;
}
