// What an author may set for a whole server. Everything has a default that a deployment can keep.
import type { CacheHints, CreateValidator, ServerCapabilities } from "@lethe/protocol";
import type { Authenticator } from "./auth/authenticator.ts";
import type { Visibility } from "./features/feature.ts";
import type { ListCaches } from "./features/registry.ts";
import type { HttpOptions } from "./http/http-options.ts";
import type { InteractionOptions } from "./interaction/settings.ts";
import type { OnError } from "./methods/report-error.ts";
import type { LegacyServerOptions } from "./plug-legacy.ts";
import type { SealKey } from "./seal/key-ring.ts";
import type { SealOptions } from "./seal/seal.ts";
import type { SingleUseStore } from "./seal/single-use-store.ts";
import type { HubOptions } from "./subscriptions/hub.ts";
import type { TasksOptions } from "./tasks/task-settings.ts";

export interface ServerOptions extends LegacyServerOptions {
  /** For the model: how to use this server. */
  instructions?: string;
  /** Advertised beside what follows from the features, and instead of it where both say something (E-4). */
  capabilities?: ServerCapabilities;
  /** Items on one page of a list. Default 1000. */
  pageSize?: number;
  /** How long and by whom answers may be kept (E-50). Default: 60,000 ms and public; private with `visible`. */
  cache?: ListCaches & { discover?: Partial<CacheHints> };
  /** Who sees which feature. A hidden one answers exactly like one that does not exist. */
  visible?: Visibility;
  /** Every result says which server it is from. Default true. */
  serverInfo?: boolean;
  /** `ctx.log` sends to clients that ask for it, and the capability says so (E-41). Default true. */
  logging?: boolean;
  /** Checks values by JSON Schema. Default: @cfworker/json-schema. */
  createValidator?: CreateValidator;
  /** Gets every error that no caller may see, with the id that the caller got instead. Default: console.error. */
  onError?: OnError;
  /**
   * What seals the state of a request that waits for input. All machines of one deployment need the same keys. Default:
   * the environment variable LETHE_KEYS ("id:key,id:key", each key 32 bytes as base64url), else a key of this process only.
   */
  keys?: string | readonly SealKey[] | undefined;
  /** How long sealed state is good, and how large it may be (E-28). */
  seal?: Pick<SealOptions, "ttlMs" | "maxBytes">;
  /**
   * Remembers which `requestState` was answered: each is good for one answer, and an identical retry gets the answer again.
   * Default: the memory of this process, so that another process with the same keys accepts a state once more; processes that
   * answer for each other need one store. `false`: a state may be answered until it expires.
   */
  singleUse?: SingleUseStore | false;
  /** Who may call over HTTP. Default: anybody. */
  auth?: Authenticator;
  /** Of `server.fetch`. Other edges take theirs where they are made. */
  http?: HttpOptions;
  interaction?: Omit<InteractionOptions, "seal" | "singleUse">;
  subscriptions?: Pick<HubOptions, "bus" | "maxStreams" | "maxStreamsPerCaller" | "maxUrisPerStream">;
  /** Of tools that may answer with a task (F). */
  tasks?: TasksOptions;
}
