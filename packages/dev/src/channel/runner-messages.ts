// What the two processes send each other: the command (it listens, and keeps what must survive a reload) and the runner (the author's code).
import type { Caller, Implementation, JsonObject, JsonRpcNotification, ModernRequest, Result } from "@lethe/protocol";
import type { Authenticator } from "@lethe/server/auth";
import type { WireError } from "./wire-error.ts";

/** The lists that clients subscribe to. */
export type ListKind = "tools" | "prompts" | "resources";

/** Asks the runner to load the author's code. */
export interface LoadRequest {
  /** The bundle, as a URL. */
  readonly url: string;
  /** The path of the file that the author named. */
  readonly entry: string;
  /** The words for `process.argv` after the file. */
  readonly args: readonly string[];
  /** Variables of environment files. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What the command must know about a loaded server. */
export interface LoadedServer {
  readonly info: Implementation;
  /** The options of `serve`, without functions. Undefined if the program did not call it. */
  readonly serveOptions: JsonObject | undefined;
  /** The option `legacy` of `createServer`, without functions and stores. */
  readonly legacyOptions: JsonObject;
  readonly authenticator: Pick<Authenticator, "metadata" | "metadataPaths"> | undefined;
  /** The path of the callbacks of handlers. */
  readonly callbackPath: string | undefined;
  readonly lists: Readonly<Record<ListKind, ServedList>>;
  /** Headers that repeat arguments of tools, in lower case. */
  readonly paramHeaders: readonly string[];
}

export interface ServedList {
  readonly count: number;
  /** Undefined when the list depends on its caller. */
  readonly digest: string | undefined;
}

/** An operation of a store that the command keeps. */
export interface StoreRequest {
  readonly operation: string;
  readonly given: readonly unknown[];
}

/** One request for the author's server. */
export interface CallRequest {
  readonly id: number;
  readonly request: ModernRequest;
  readonly exchange: WireExchange;
}

/** The members of an exchange that are data. */
export interface WireExchange {
  readonly caller: Caller | undefined;
  readonly conversation: string | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly keepsState: boolean | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly mayDisconnect: boolean;
}

export interface CallResult {
  readonly result: Result;
  /** The task support of each tool in a list of tools: a symbol, which JSON drops. */
  readonly taskSupport?: readonly (string | null)[];
}

export interface CallNotification {
  readonly id: number;
  readonly notification: JsonRpcNotification;
}

/** An error of a handler, which its caller knows by its id only. */
export interface HandlerError {
  readonly error: WireError;
  readonly errorId: string;
  readonly method: string;
  readonly name: string | undefined;
}
