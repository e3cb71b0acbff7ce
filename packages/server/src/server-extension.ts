// The server's side of an extension: what it declares, the methods it adds, and hooks around tools.
import type { Caller, Exchange, KnownOptions, ModernRequest, Result, Tool } from "@lethe/protocol";
import type { NotifyingExtension } from "./features/notifying-extension.ts";
import type { RawHandler } from "./methods/raw-method.ts";
import type { Server } from "./server.ts";

/** A request as the hooks of an extension see it. `Notifications` are the types of the params of its notifications, by name. */
// biome-ignore lint/suspicious/noExplicitAny: an extension without stated types may send anything.
export interface ExtensionCall<Notifications extends object = any> {
  /** The request. */
  readonly request: ModernRequest;
  /** The caller, the cancellation and the notifications of the request. */
  readonly exchange: Exchange;
  /** Whether the client declares the extension with this request. */
  readonly isDeclared: boolean;
  /** Sends a notification of the extension before the result, as `notify` of a handler's context does. */
  notify<Name extends keyof Notifications & string>(name: Name, params: Notifications[Name]): void;
}

/** What a server tells its extensions. */
export interface ExtensionHost {
  /** Whether a caller may see a resource in lists. False for a URI without a resource of its own. */
  maySeeResource(uri: string, caller: Caller | undefined): boolean;
  /** Whether callers may see different resources. */
  hidesResources(): boolean;
}

/**
 * An extension of the protocol, for `server.use`. Every member but the id is optional. `Notifications` are the types of the params of its
 * notifications, by name.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import type { ServerExtension } from "@lethe/server/extensions";
 *
 * const greetings: ServerExtension = {
 *   id: "com.example/greetings",
 *   methods: { "com.example/greetings.say": ({ params }) => ({ resultType: "complete", text: `Hello, ${params.name}!` }) },
 * };
 * const server = createServer({ name: "hello", version: "1.0.0" }).use(greetings);
 */
// biome-ignore lint/suspicious/noExplicitAny: a server uses extensions with any notifications.
export interface ServerExtension<Notifications extends object = any> extends NotifyingExtension<Notifications> {
  /** Whether only clients that declare the extension may call its methods. Others get -32021. Default true. */
  readonly needsDeclaration?: boolean;
  /** Its methods by name. */
  readonly methods?: Readonly<Record<string, RawHandler>>;
  /** Changes the tools of a page of `tools/list` for one client. Tools are shared by all requests: return copies of those that change. */
  readonly listTools?: (tools: readonly Tool[], call: ExtensionCall<Notifications>) => readonly Tool[];
  /** Runs instead of `tools/call`. `next` runs the call. */
  readonly callTool?: (call: ExtensionCall<Notifications>, next: () => Promise<Result>) => Promise<Result>;
  /**
   * Called once, by `server.use`: adds the features of the extension. Requests wait until a promise that it returns is settled. If that
   * rejects, the server rejects every request.
   */
  readonly setUp?: (server: Server, host: ExtensionHost) => void | Promise<void>;
  /** Called once, by `server.close`: releases what the extension holds. */
  readonly close?: () => void | Promise<void>;
}

export const knownServerExtension: KnownOptions<ServerExtension> = {
  id: "a string",
  settings: "an object?",
  needsDeclaration: true,
  methods: "an object?",
  notifications: true,
  listTools: "a function?",
  callTool: "a function?",
  setUp: "a function?",
  close: "a function?",
};
