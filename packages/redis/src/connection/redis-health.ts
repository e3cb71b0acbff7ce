// Watches the Redis of a replica: asks it once a second whether it can be written, whether it may lose data, and what its clock says.
// The two commands of a probe cost Redis about as much as two forwarded requests.
import { type Clock, every, systemClock } from "@lethe/server/stores";
import type { ClientCertificate } from "./client-certificate.ts";
import { openDriver } from "./open-driver.ts";
import { parseRedisInfo, type RedisInfo } from "./redis-info.ts";
import type { RedisLink } from "./redis-link.ts";
import { evictionProblem, problemOf, type RedisProblem, type RedisProblemReason } from "./redis-problem.ts";
import { parseRedisUrl } from "./redis-target.ts";

export interface RedisHealthOptions {
  readonly url: string;
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Called once when a problem begins, except for an unreachable Redis. */
  onBegin(problem: RedisProblem): void;
  /** Called once when it ends. Not called for `flushed` and `replaced`, which are events. */
  onEnd(reason: RedisProblemReason): void;
  /** Called when Redis stops answering, with the reason, which never contains a password. */
  onLost(reason: string): void;
  onBack(): void;
  readonly clock?: Clock;
  /** The interval of probes, in ms. Default 1,000. */
  readonly probeEveryMs?: number;
}

/** Redis is unreachable when a probe is unanswered for this time, in ms. */
const silenceMs = 1_000;
/** A problem ends after this number of probes without it. */
const minCleanProbes = 2;
/** Events stay among the problems for this time, in ms, so that a scraper sees them. */
const eventMs = 60_000;
/** The clocks differ when they are this far apart beyond the uncertainty of the measurement, in ms. */
const skewMs = 1_000;
const markerMs = 600_000;
/** Error replies of Redis begin with a code, such as LOADING. */
const errorReply = /^[A-Z]{3,} /;

interface Current {
  problem: RedisProblem;
  seenAt: number;
  cleanProbes: number;
}

export class RedisHealth {
  readonly #options: RedisHealthOptions;
  readonly #clock: Clock;
  #connection: Pick<RedisLink, "client" | "isUp" | "failure"> | undefined;
  #cancel: (() => void) | undefined;
  #marker = "";
  readonly #current = new Map<RedisProblemReason, Current>();
  #pendingSince: number | undefined;
  #isSilent = false;
  #isLost = false;
  #lostReason = "it does not answer";
  #hasMarker = false;
  #runId: string | undefined;
  #isClosed = false;

  constructor(options: RedisHealthOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Starts to watch. Losses of this connection must be reported to `connectionLost` and `connectionBack`. */
  watch(connection: Pick<RedisLink, "client" | "isUp" | "nameOf" | "failure">): void {
    this.#connection = connection;
    this.#marker = connection.nameOf(`marker:${crypto.randomUUID()}`);
    const { probeEveryMs = 1_000 } = this.#options;
    this.#cancel = every(this.#clock, probeEveryMs, () => this.#look(connection));
    this.#look(connection);
  }

  /** Whether Redis answers. */
  get isReached(): boolean {
    return !this.#isLost;
  }

  /** What is wrong now. Events of the last minute are included. */
  get problems(): readonly RedisProblem[] {
    return [...this.#current.values()].map(({ problem }) => problem);
  }

  has(reason: RedisProblemReason): boolean {
    return this.#current.has(reason);
  }

  readonly connectionLost = (reason: string): void => {
    this.#lostReason = reason;
    this.#judgeReach();
  };

  readonly connectionBack = (): void => {
    this.#isSilent = false;
    this.#judgeReach();
  };

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    if (this.#connection?.isUp) this.#connection.client.call("DEL", this.#marker).catch(() => {});
  }

  #look(connection: Pick<RedisLink, "client" | "isUp">): void {
    const now = this.#clock.now();
    const isOverdue = this.#pendingSince !== undefined && now - this.#pendingSince >= silenceMs;
    // After a stall of this process, an answer that arrived meanwhile is read first.
    if (isOverdue && connection.isUp) setImmediate(() => this.#judgeSilence());
    if (this.#pendingSince === undefined) void (connection.isUp ? this.#probe(connection) : this.#diagnose());
    this.#judgeReach();
  }

  #judgeSilence(): void {
    if (this.#pendingSince === undefined || this.#isClosed) return;
    this.#isSilent = true;
    this.#lostReason = `it has not answered for ${silenceMs / 1_000} s`;
    this.#judgeReach();
  }

  #judgeReach(): void {
    if (this.#isClosed || !this.#connection) return;
    const isLost = !this.#connection.isUp || this.#isSilent;
    if (isLost === this.#isLost) return;
    this.#isLost = isLost;
    if (isLost) {
      const text = `Redis is unreachable: ${this.#lostReason}`;
      this.#current.set("unreachable", this.#currentOf({ reason: "unreachable", text }));
      this.#options.onLost(this.#lostReason);
    } else {
      this.#current.delete("unreachable");
      this.#lostReason = "it does not answer";
      this.#options.onBack();
    }
  }

  /** Writes the marker, which also returns its value, and reads what Redis says about itself. */
  async #probe({ client }: Pick<RedisLink, "client">): Promise<void> {
    const sentAt = this.#clock.now();
    this.#pendingSince = sentAt;
    const hadMarker = this.#hasMarker;
    const [marker, server, memory] = await Promise.all([
      client.call("SET", this.#marker, "1", "PX", markerMs, "GET").catch((error: Error) => error),
      client.call("INFO", "server").catch((error: Error) => error),
      client.call("INFO", "memory").catch((error: Error) => error),
    ]);
    this.#pendingSince = undefined;
    if (this.#isClosed) return;
    const replies = [marker, server, memory];
    if (replies.some((reply) => reply instanceof Error && reply.name !== "ReplyError")) return;
    this.#isSilent = false;
    const info = parseRedisInfo(
      replies
        .slice(1)
        .filter((reply) => typeof reply === "string")
        .join("\n"),
    );
    const errors = replies.filter((reply) => reply instanceof Error);
    const found = errors.map(problemOf);
    if (info.evictionPolicy !== undefined) found.push(evictionProblem(info.evictionPolicy));
    const skew = this.#findSkew(info, sentAt);
    if (skew) found.push(skew);
    const loss = this.#findLoss(info, hadMarker && marker === null);
    if (loss) found.push(loss);
    if (!(marker instanceof Error)) this.#hasMarker = true;
    this.#update(found);
    this.#judgeReach();
  }

  #findSkew({ timeMs }: RedisInfo, sentAt: number): RedisProblem | undefined {
    if (timeMs === undefined) return undefined;
    const tookMs = this.#clock.now() - sentAt;
    const aheadMs = this.#clock.wallTime() - tookMs / 2 - timeMs;
    if (Math.abs(aheadMs) <= skewMs + tookMs / 2) return undefined;
    const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
    return {
      reason: "clock_skew",
      text: `the clock of this machine is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} that of Redis: synchronise both; times in states and tokens are compared across machines`,
    };
  }

  #findLoss({ runId }: RedisInfo, isMarkerGone: boolean): RedisProblem | undefined {
    const isOther = runId !== undefined && this.#runId !== undefined && runId !== this.#runId;
    if (runId !== undefined) this.#runId = runId;
    if (isOther) {
      const loss = isMarkerGone ? ", without the data of the one before" : "";
      return { reason: "replaced", text: `another instance of Redis answers, after a restart or a failover${loss}` };
    }
    // An evicting Redis may remove the marker, too.
    if (!isMarkerGone || this.#current.has("evicting")) return undefined;
    return {
      reason: "flushed",
      text: "Redis lost its data while it was running (FLUSHALL or the like): sessions stay with their owners, but answered input requests can be answered again",
    };
  }

  /** Finds out why there is no connection: one that is loading, or that rejects the password, answers with an error. */
  async #diagnose(): Promise<void> {
    const target = parseRedisUrl(this.#options.url, this.#options.clientCertificate);
    // The client of a Cluster asks its nodes itself.
    if (target.kind === "cluster") return this.#judgeFailure(new Error(this.#connection?.failure));
    this.#pendingSince = this.#clock.now();
    const client = openDriver(target, {
      ...{ lazyConnect: true, enableReadyCheck: false, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
      ...{
        connectTimeout: silenceMs,
        commandTimeout: silenceMs,
        retryStrategy: () => null,
        connectionName: "lethe probe",
      },
    });
    // `connect` itself only says that the connection is closed.
    let cause: unknown;
    client.on("error", (error) => {
      cause ??= error;
    });
    try {
      await client.connect();
      await client.exists(this.#marker);
    } catch (error) {
      cause ??= error;
    } finally {
      client.disconnect();
      this.#pendingSince = undefined;
    }
    if (this.#isClosed) return;
    if (cause === undefined) this.#update([]);
    else if (cause instanceof Error) this.#judgeFailure(cause);
  }

  #judgeFailure(cause: Error): void {
    if (errorReply.test(cause.message)) this.#update([problemOf(cause)]);
  }

  #currentOf(problem: RedisProblem): Current {
    return { problem, seenAt: this.#clock.now(), cleanProbes: 0 };
  }

  #update(found: readonly RedisProblem[]): void {
    const { onBegin, onEnd } = this.#options;
    for (const problem of found) {
      const isNew = !this.#current.has(problem.reason);
      this.#current.set(problem.reason, this.#currentOf(problem));
      if (isNew || isEvent(problem.reason)) onBegin(problem);
    }
    for (const [reason, current] of this.#current) {
      if (reason === "unreachable" || found.some((problem) => problem.reason === reason)) continue;
      current.cleanProbes += 1;
      const hasEnded = isEvent(reason)
        ? this.#clock.now() - current.seenAt >= eventMs
        : current.cleanProbes >= minCleanProbes;
      if (!hasEnded) continue;
      this.#current.delete(reason);
      if (!isEvent(reason)) onEnd(reason);
    }
  }
}

function isEvent(reason: RedisProblemReason): boolean {
  return reason === "flushed" || reason === "replaced";
}
