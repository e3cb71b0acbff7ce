// The client's side of an extension: what it declares, hooks around tools, notifications, and calls of its own.
import {
  checkOptions,
  type ExtensionDeclaration,
  isExtensionId,
  type KnownOptions,
  type ModernRequest,
  type Result,
  type Tool,
} from "@lethe/protocol";
import type { AuthorizerOptions } from "../auth/create-authorizer.ts";
import type { Client } from "./client.ts";

/**
 * An extension of the protocol, for the option `extensions` of `connect`. Every member but the id is optional. `client.extension(…)` returns
 * its calls. `Notifications` are the types of the params of its notifications, by name. A type does not prove what a server sends: check
 * params that matter.
 */
// biome-ignore lint/suspicious/noExplicitAny: a list of extensions accepts those with any calls and notifications.
export interface ClientExtension<Api = any, Notifications extends object = any>
  extends ExtensionDeclaration<Notifications> {
  /** Listeners for its notifications that precede the result of a request, by name. */
  readonly notifications?: { readonly [Name in keyof Notifications]?: (params: Notifications[Name]) => void };
  /** Changes the tools of a page of `tools/list`. */
  readonly listTools?: (tools: readonly Tool[]) => readonly Tool[];
  /** Runs instead of `tools/call`. `next` sends the call. */
  readonly callTool?: (request: ModernRequest, next: () => Promise<Result>) => Promise<Result>;
  /** How `connect` gets tokens for a protected server over HTTP, unless its option `authorizer` is set. */
  readonly authorization?: AuthorizerOptions;
  /** Returns the calls of the extension over a client. Called once per client. */
  readonly api?: (client: Client) => Api;
  /** Called once, by `client.close`. */
  readonly close?: () => void;
}

const knownClientExtension: KnownOptions<ClientExtension> = {
  id: "a string",
  settings: "an object?",
  notifications: "an object?",
  listTools: "a function?",
  callTool: "a function?",
  authorization: true,
  api: "a function?",
  close: "a function?",
};

/** Throws an Error that names the extension and its wrong member, and for two with the same id or two that get tokens. */
export function checkExtensions(place: string, extensions: readonly ClientExtension[] = []): void {
  const ids = new Set<string>();
  extensions.forEach((extension, index) => {
    checkOptions(`${place}: extensions[${index}]`, extension, knownClientExtension);
    const { id } = extension;
    const name = `${place}: extension ${JSON.stringify(id)}`;
    if (!isExtensionId(id)) throw new Error(`${name}: a prefix, a slash and a name expected`);
    if (ids.has(id)) throw new Error(`${name}: pass one extension per id`);
    ids.add(id);
  });
  const [, second] = extensions.filter(({ authorization }) => authorization);
  if (second) throw new Error(`${place}: extension ${JSON.stringify(second.id)}: pass one extension that gets tokens`);
}
