// The options of the legacy edge and their defaults (D.4 to D.6). Everything that a client can make grow has a limit.

import { type KnownOptions, type LogLevel, legacyRevisions } from "@lethe/protocol";
import { isLegacyRevision, type LegacyRevision } from "@lethe/protocol/revisions";
import { type Clock, systemClock } from "../../clock/clock.ts";
import { storeDefaults } from "../../replicas/store-defaults.ts";
import { type ClientMessageRelay, createMemoryClientMessageRelay } from "./client-message-relay.ts";
import {
  createMemoryEventLog,
  type EventLog,
  knownMemoryEventLogOptions,
  type MemoryEventLogOptions,
} from "./event-log.ts";
import { createMemorySessionStore, type SessionStore } from "./session-store.ts";
import type { StreamRelay } from "./stream-relay.ts";

/** How clients of the revisions before 2026-07-28 are served. Every option has a default. */
export interface LegacyOptions {
  /** The revisions that are served, in any order. At least one. Default: all four, 2024-11-05 to 2025-11-25. */
  revisions?: readonly LegacyRevision[];
  /**
   * What an HTTP client gets from `initialize`. "sealed" (default): a session whose id contains its facts, so that any process
   * with the keys serves it. "none": no session, and therefore no input requests, subscriptions or cancellation. "off": legacy
   * clients are not served, on stdio neither; `initialize` answers with the supported revisions.
   */
  sessions?: "sealed" | "none" | "off";
  /** How long a session lasts, in ms. An idle session takes no memory. Default 30 days. */
  sessionTtlMs?: number;
  /** Sessions in use or cached in this process. More answer 503. Default 10,000. */
  maxSessions?: number;
  /**
   * Idle sessions cached in this process, about 1.5 KB each. Opening a session that is not cached takes about 0.1 ms.
   * Default 2,000.
   */
  maxIdleSessions?: number;
  /** Concurrent requests of one session. More answer 429. Default 100. */
  maxRequestsPerSession?: number;
  /** Open event streams of one session. More answer 429. Default 16. */
  maxStreamsPerSession?: number;
  /** GET streams that continue after their clients left. Beyond it the oldest ends. `resume.maxAgeMs` limits their time. Default 1,000. */
  maxLostStreams?: number;
  /** Messages in one batch. Default 100. */
  maxBatch?: number;
  /** Pending elicitation, sampling and roots requests to one client. Default 64. */
  maxInputRequests?: number;
  /** Rounds of input requests in one call. Default 16. A server built with this package has a limit of its own, too. */
  maxRounds?: number;
  /** How long an input request waits for its response. Default 600,000 ms. */
  answerTimeoutMs?: number;
  /** How long a call may run between two rounds of input requests. Default 600,000 ms. 0 turns the limit off. */
  callTimeoutMs?: number;
  /** A longer call answers with an event stream, which the client can resume after a lost connection. Default 5,000 ms. */
  streamAfterMs?: number;
  /**
   * Closes the event stream of a call that takes longer. A client of 2025-11-25 reconnects for the rest; streams of other
   * revisions stay open. In ms. Default 0: never.
   */
  pollAfterMs?: number;
  /**
   * Waits for the task when a client of 2025-11-25 calls a tool that runs only as a task without sending `task`. Default false:
   * such a call answers -32601, as that revision requires. Clients of older revisions always wait, and get the result.
   */
  awaitTasks?: boolean;
  /**
   * How long a client of 2025-11-25 waits before it reconnects to a closed or lost stream. Sent at the start of each stream. Default
   * 1,000 ms.
   */
  retryMs?: number;
  /** The log level of a client that has not set one. Default "info". */
  logLevel?: LogLevel;
  /** The paths of the two endpoints of HTTP+SSE. `false` turns the transport off. Default `/sse` and `/messages`. */
  sse?: { path?: string; messagesPath?: string } | false;
  /** Limits of the events kept in memory for clients that reconnect. Has no effect with `events`, except for `maxAgeMs`. */
  resume?: MemoryEventLogOptions;
  /** The state of sessions. Default: in the memory of this process. */
  store?: SessionStore;
  /** Delivers client messages to the process that waits for them. Default: within this process. */
  clientMessages?: ClientMessageRelay;
  /** The events kept for clients that reconnect. Default: in the memory of this process, limited by `resume`. */
  events?: EventLog;
  /** Delivers POSTs of HTTP+SSE to the process that holds the stream. Default: none, so each POST must reach that process. */
  relay?: StreamRelay;
  /** Measures lifetimes, `answerTimeoutMs` and `callTimeoutMs`. Default: the clock of the server, else of this process. */
  clock?: Clock | undefined;
  /** Called with every error that no client may see. Default: console.error. */
  onError?: (error: unknown) => void;
  /** Called once, for the first response that no call in this process waits for. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

export const knownLegacyOptions: KnownOptions<LegacyOptions> = {
  revisions: true,
  sessions: true,
  sessionTtlMs: true,
  maxSessions: true,
  maxIdleSessions: true,
  maxRequestsPerSession: true,
  maxStreamsPerSession: true,
  maxLostStreams: true,
  maxBatch: true,
  maxInputRequests: true,
  maxRounds: true,
  answerTimeoutMs: true,
  callTimeoutMs: true,
  streamAfterMs: true,
  pollAfterMs: true,
  awaitTasks: true,
  retryMs: true,
  logLevel: true,
  sse: { path: true, messagesPath: true },
  resume: knownMemoryEventLogOptions,
  store: true,
  clientMessages: true,
  events: true,
  relay: true,
  onError: true,
  onWarning: true,
  clock: true,
};

/** LegacyOptions with every default filled in. */
export interface LegacySettings
  extends Required<
    Omit<LegacyOptions, "revisions" | "sessions" | "sse" | "resume" | "relay" | "sessionTtlMs" | "onWarning" | "clock">
  > {
  readonly clock: Clock;
  /** Newest first. */
  readonly revisions: readonly [LegacyRevision, ...LegacyRevision[]];
  readonly hasSessions: boolean;
  /** How long a GET stream continues after its client left, in ms. */
  readonly lostStreamMs: number;
  readonly sse: { readonly path: string; readonly messagesPath: string } | undefined;
  readonly relay: StreamRelay | undefined;
}

const allRevisions = legacyRevisions as readonly LegacyRevision[];
const dayMs = 86_400_000;

export const defaultSessionTtlMs: number = 30 * dayMs;

/** Throws an Error that names the option. */
export function fillLegacyOptions(options: LegacyOptions): LegacySettings {
  const { sse = {}, sessionTtlMs = defaultSessionTtlMs, clock = systemClock } = options;
  const now = clock.wallTime;
  const hasSessions = options.sessions !== "none";
  return {
    revisions: toRevisions(options.revisions ?? allRevisions),
    hasSessions,
    clock,
    maxSessions: options.maxSessions ?? 10_000,
    maxIdleSessions: options.maxIdleSessions ?? 2_000,
    maxRequestsPerSession: options.maxRequestsPerSession ?? 100,
    maxStreamsPerSession: options.maxStreamsPerSession ?? 16,
    maxLostStreams: options.maxLostStreams ?? 1_000,
    maxBatch: options.maxBatch ?? 100,
    maxInputRequests: options.maxInputRequests ?? 64,
    maxRounds: options.maxRounds ?? 16,
    answerTimeoutMs: options.answerTimeoutMs ?? 600_000,
    callTimeoutMs: options.callTimeoutMs ?? 600_000,
    streamAfterMs: options.streamAfterMs ?? 5_000,
    pollAfterMs: options.pollAfterMs ?? 0,
    awaitTasks: options.awaitTasks ?? false,
    retryMs: options.retryMs ?? 1_000,
    lostStreamMs: options.resume?.maxAgeMs ?? storeDefaults.events.maxAgeMs,
    logLevel: options.logLevel ?? "info",
    sse:
      sse !== false && hasSessions
        ? { path: sse.path ?? "/sse", messagesPath: sse.messagesPath ?? "/messages" }
        : undefined,
    store: options.store ?? createMemorySessionStore({ ttlMs: sessionTtlMs, now }),
    clientMessages:
      options.clientMessages ?? createMemoryClientMessageRelay({ onWarning: options.onWarning ?? console.warn }),
    relay: options.relay,
    events: options.events ?? createMemoryEventLog({ now, ...options.resume }),
    onError: options.onError ?? ((error) => console.error(error)),
  };
}

/** Sorts the revisions, newest first. */
function toRevisions(given: readonly LegacyRevision[]): readonly [LegacyRevision, ...LegacyRevision[]] {
  const unknown = given.find((revision) => !isLegacyRevision(revision));
  if (unknown !== undefined) throw new Error(`legacy.revisions: expected ${allRevisions.join(", ")}, got ${unknown}`);
  const [newest, ...rest] = allRevisions.filter((revision) => given.includes(revision));
  if (newest === undefined) throw new Error("legacy.revisions: expected at least one, got none");
  return [newest, ...rest];
}
