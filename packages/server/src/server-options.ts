// The options of `createServer`.
import type { CacheHints, CreateValidator, Implementation, KnownOptions, ServerCapabilities } from "@lethe/protocol";
import type { Authenticator } from "./auth/authenticator.ts";
import type { Clock } from "./clock/clock.ts";
import type { Visibility } from "./features/feature.ts";
import type { ListCaches } from "./features/registry.ts";
import { type HttpOptions, knownHttpOptions } from "./http/http-options.ts";
import type { InteractionOptions } from "./interaction/settings.ts";
import type { OnError } from "./methods/report-error.ts";
import { knownLegacyServerOptions, type LegacyServerOptions } from "./plug-legacy.ts";
import { knownSealKey, type SealKey } from "./seal/key-ring.ts";
import type { ReadKeys } from "./seal/platform-keys.ts";
import type { SealOptions } from "./seal/seal.ts";
import type { SingleUseStore } from "./seal/single-use-store.ts";
import type { SessionStateStore } from "./session/session-state-store.ts";
import type { HubOptions } from "./subscriptions/hub.ts";
import { knownTasksOptions, type TasksOptions } from "./tasks/task-settings.ts";

/** Options of `createServer`. Every option has a default. */
export interface ServerOptions extends LegacyServerOptions {
  /** Tells the model how to use this server. */
  instructions?: string;
  /** Advertised in addition to the capabilities of the features; these members win. */
  capabilities?: ServerCapabilities;
  /** Items on one page of a list. Default 1000. */
  pageSize?: number;
  /** Cache hints of lists and discovery. Default: 60,000 ms and public; private with `visible`. */
  cache?: ListCaches & { discover?: Partial<CacheHints> };
  /** Decides which caller sees which feature. A hidden feature behaves as if it did not exist. Default: all. */
  visible?: Visibility;
  /** Adds the name and version of the server to every result. Default true. */
  serverInfo?: boolean;
  /** Whether `ctx.log` sends messages to clients that request them. Default true. */
  logging?: boolean;
  /** Validates values with JSON Schema. Default: @cfworker/json-schema. */
  createValidator?: CreateValidator;
  /** Called with every internal error and the id that the caller got instead. Default: console.error. */
  onError?: OnError;
  /**
   * The keys that seal `requestState` and session ids. All processes of a deployment need the same keys. Default:
   * the environment variable LETHE_KEYS ("id:key,id:key", each key 32 bytes as base64url), else a key of this process only. A
   * function gets the environment that the first request passes to `server.fetch`, such as `env` of a Worker, or else `process.env`.
   */
  keys?: string | readonly SealKey[] | ReadKeys | undefined;
  /** The lifetime of sealed state in ms, and its largest size in bytes. */
  seal?: Pick<SealOptions, "ttlMs" | "maxBytes">;
  /**
   * Replay protection: a `requestState` can be used once, and an identical retry gets the same result.
   * Default: in memory. Another process with the same keys would accept a state once more, so several processes need a
   * shared store. `false`: a state can be used until it expires.
   */
  singleUse?: SingleUseStore | false;
  /**
   * Keeps the state of sessions (`ctx.session`). All processes of a deployment need the same store. Default: none; the state is
   * sealed inside the handle of the session.
   */
  sessionStore?: SessionStateStore;
  /**
   * The URL under which other systems reach the callbacks of handlers (`ctx.callback`), such as "https://mcp.example.com/callbacks".
   * `serve`, `server.fetch` and `createNodeHandler` answer its path. Default: handlers cannot wait for callbacks.
   */
  callbackUrl?: string;
  /** Authenticates HTTP requests. Default: no authentication. */
  auth?: Authenticator;
  /** Options of `server.fetch`. Other edges have their own. */
  http?: HttpOptions;
  /** Limits of input requests and journals. */
  interaction?: Omit<InteractionOptions, "seal" | "singleUse">;
  /** The bus and the limits of subscriptions. */
  subscriptions?: Pick<HubOptions, "bus" | "maxStreams" | "maxStreamsPerCaller" | "maxUrisPerStream">;
  /** Options of tools that may return a task. */
  tasks?: TasksOptions;
  /**
   * The source of time: lifetimes of sealed state, sessions and tasks, replay protection, and how long older clients may take to
   * answer. A test passes `createTestClock()` of `@lethe/server/testing`. Default: the clock of this process.
   */
  clock?: Clock;
}

export const knownImplementation: KnownOptions<Implementation> = {
  name: "a string",
  version: "a string",
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
};

export const knownServerOptions: KnownOptions<ServerOptions> = {
  ...knownLegacyServerOptions,
  instructions: true,
  clock: true,
  capabilities: true,
  pageSize: true,
  cache: {
    tools: { ttlMs: true, cacheScope: true },
    prompts: { ttlMs: true, cacheScope: true },
    resources: { ttlMs: true, cacheScope: true },
    resourceTemplates: { ttlMs: true, cacheScope: true },
    discover: { ttlMs: true, cacheScope: true },
  },
  visible: true,
  serverInfo: true,
  logging: true,
  createValidator: true,
  onError: true,
  keys: knownSealKey,
  seal: { ttlMs: true, maxBytes: true },
  singleUse: true,
  sessionStore: true,
  callbackUrl: true,
  auth: true,
  http: knownHttpOptions,
  interaction: {
    ...{ maxRounds: true, maxInputRequests: true, maxJournalBytes: true },
    ...{ replayGraceMs: true, maxSleepMs: true, onWarning: true },
  },
  subscriptions: { maxUrisPerStream: true, bus: true, maxStreams: true, maxStreamsPerCaller: true },
  tasks: knownTasksOptions,
};
