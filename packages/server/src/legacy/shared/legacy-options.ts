// The options of the legacy edge and their defaults (D.4 to D.6). Whatever a client can make grow has a bound.
import { type LogLevel, legacyRevisions } from "@lethe/protocol";
import { isLegacyRevision, type LegacyRevision } from "@lethe/protocol/revisions";
import { type AnswerExchange, createMemoryAnswerExchange } from "./answer-exchange.ts";
import { createMemoryEventLog, defaultMaxAgeMs, type EventLog, type MemoryEventLogOptions } from "./event-log.ts";
import { createMemorySessionStore, type SessionStore } from "./session-store.ts";
import type { StreamRelay } from "./stream-relay.ts";

export interface LegacyOptions {
  /** Which revisions are served. Default: 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05. */
  revisions?: readonly LegacyRevision[];
  /**
   * What an HTTP client gets from `initialize`. "sealed" (default): a session whose id holds all that stays the same, so
   * that any process with the keys serves it. "none": no session; nothing can be asked, subscribed or cancelled.
   * "off": no legacy at all, also not on stdio; `initialize` answers with the versions that are served.
   */
  sessions?: "sealed" | "none" | "off";
  /** How long a session lasts. A session takes no memory, so that it can outlive everything else. Default 30 days. */
  sessionTtlMs?: number;
  /** Sessions that this process holds open, or keeps at hand, at a time. Default 10,000. */
  maxSessions?: number;
  /**
   * Sessions kept at hand while nothing of them runs, about 1.5 KB each. Any other is opened from its id, which costs a tenth of
   * a millisecond. Default 2,000.
   */
  maxIdleSessions?: number;
  /** Requests of one session at a time. Default 100. */
  maxRequestsPerSession?: number;
  /** Event streams of one session at a time. Default 16. */
  maxStreamsPerSession?: number;
  /** GET streams that go on without their client (`resume.maxAgeMs`), at a time; the oldest ends. Default 1,000. */
  maxLostStreams?: number;
  /** Messages in one batch (D-31). Default 100. */
  maxBatch?: number;
  /** Questions to one client at a time. Default 64. */
  maxInputRequests?: number;
  /** How often one call may ask. Default 16; a server that is built with this package has its own limit, too. */
  maxRounds?: number;
  /** How long a question waits for its answer. Default 600,000 ms. */
  answerTimeoutMs?: number;
  /** How long a call may run between two questions. Default 600,000 ms; 0 turns it off. */
  callTimeoutMs?: number;
  /** A call that takes longer answers with an event stream, which survives a lost connection (D-35). Default 5,000 ms. */
  streamAfterMs?: number;
  /**
   * Closes the stream of a call that takes longer; its client comes back for the rest, if its revision knows how to
   * (2025-11-25). Default 0: never.
   */
  pollAfterMs?: number;
  /**
   * Waits for the task of a tool that runs only as one, when a client of 2025-11-25 calls it without `task`. Default false:
   * -32601, as that revision says. Clients of older revisions know no tasks: they always get the result.
   */
  awaitTasks?: boolean;
  /** When a client whose stream was closed is to come back. Default 1,000 ms. */
  retryMs?: number;
  /** What is logged to a client that has not said (D-25). Default "info". */
  logLevel?: LogLevel;
  /** The two endpoints of HTTP+SSE (D-32), each as a path; false turns the transport off. Default `/sse` and `/messages`. */
  sse?: { path?: string; messagesPath?: string } | false;
  /** What is kept of event streams for clients that come back. */
  resume?: MemoryEventLogOptions;
  /** Default: in this process. */
  store?: SessionStore;
  /** Default: in this process. */
  answers?: AnswerExchange;
  /** Default: in this process, within `resume`. */
  events?: EventLog;
  /** For clients of 2024-11-05. Default: none, so that what they post has to come to the process that holds their stream. */
  relay?: StreamRelay;
  /** Gets what a Dispatch threw that no caller may see. Default: console.error. */
  onError?: (error: unknown) => void;
  /** Told once when an answer came that nothing in this process waits for. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

/** LegacyOptions with every default filled in. */
export interface LegacySettings
  extends Required<
    Omit<LegacyOptions, "revisions" | "sessions" | "sse" | "resume" | "relay" | "sessionTtlMs" | "onWarning">
  > {
  /** Newest first. */
  readonly revisions: readonly [LegacyRevision, ...LegacyRevision[]];
  readonly hasSessions: boolean;
  /** How long a standing stream goes on without its client. */
  readonly lostStreamMs: number;
  readonly sse: { readonly path: string; readonly messagesPath: string } | undefined;
  readonly relay: StreamRelay | undefined;
}

const allRevisions = legacyRevisions as readonly LegacyRevision[];
const dayMs = 86_400_000;

export const defaultSessionTtlMs: number = 30 * dayMs;

/** Throws an Error that names the option. */
export function fillLegacyOptions(options: LegacyOptions): LegacySettings {
  const { sse = {}, sessionTtlMs = defaultSessionTtlMs } = options;
  const hasSessions = options.sessions !== "none";
  return {
    revisions: toRevisions(options.revisions ?? allRevisions),
    hasSessions,
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
    lostStreamMs: options.resume?.maxAgeMs ?? defaultMaxAgeMs,
    logLevel: options.logLevel ?? "info",
    sse:
      sse !== false && hasSessions
        ? { path: sse.path ?? "/sse", messagesPath: sse.messagesPath ?? "/messages" }
        : undefined,
    store: options.store ?? createMemorySessionStore({ ttlMs: sessionTtlMs }),
    answers: options.answers ?? createMemoryAnswerExchange({ onWarning: options.onWarning ?? console.warn }),
    relay: options.relay,
    events: options.events ?? createMemoryEventLog(options.resume),
    onError: options.onError ?? ((error) => console.error(error)),
  };
}

/** In the one order that means newest first, whatever the order given. */
function toRevisions(given: readonly LegacyRevision[]): readonly [LegacyRevision, ...LegacyRevision[]] {
  const unknown = given.find((revision) => !isLegacyRevision(revision));
  if (unknown !== undefined) throw new Error(`legacy.revisions: ${allRevisions.join(", ")} expected, got ${unknown}`);
  const [newest, ...rest] = allRevisions.filter((revision) => given.includes(revision));
  if (newest === undefined) throw new Error("legacy.revisions: at least one expected, got none");
  return [newest, ...rest];
}
