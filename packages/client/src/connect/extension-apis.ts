// The extensions of one client: their hooks, their notifications and their calls.
import { type JsonRpcNotification, type Middleware, method, type Result, type Tool } from "@lethe/protocol";
import type { Client } from "./client.ts";
import type { ClientExtension } from "./client-extension.ts";

type OnNotification = (notification: JsonRpcNotification) => void;

export class ExtensionApis {
  readonly #extensions: readonly ClientExtension[];
  readonly #onWarning: (message: string) => void;
  readonly #apis: Map<ClientExtension, unknown> = new Map();
  #isClosed = false;

  constructor(extensions: readonly ClientExtension[], onWarning: (message: string) => void) {
    this.#extensions = extensions;
    this.#onWarning = onWarning;
  }

  /** Throws an Error for an extension that the client does not have, and for one without calls. */
  apiOf<Api>(extension: ClientExtension<Api>, client: Client): Api {
    const name = `extension ${JSON.stringify(extension.id)}`;
    if (!this.#extensions.includes(extension)) {
      throw new Error(`${name}: pass the same object to the option "extensions" of connect`);
    }
    if (!extension.api) throw new Error(`${name}: it has no "api"`);
    if (!this.#apis.has(extension)) this.#apis.set(extension, extension.api(client));
    return this.#apis.get(extension) as Api;
  }

  /** Calls every `close` once. `onWarning` learns of those that fail. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const extension of this.#extensions) {
      try {
        extension.close?.();
      } catch (error) {
        this.#onWarning(`extension ${JSON.stringify(extension.id)}: close failed: ${String(error)}`);
      }
    }
  }
}

/** Undefined if no extension has notifications. `onWarning` learns of listeners that fail. */
export function toExtensionListener(
  extensions: readonly ClientExtension[],
  onWarning: (message: string) => void,
): OnNotification | undefined {
  const listeners = extensions.flatMap(({ notifications = {} }) => Object.entries(notifications));
  if (listeners.length === 0) return undefined;
  return ({ method: notified, params = {} }) => {
    for (const [name, listener] of listeners) {
      if (name !== notified) continue;
      try {
        listener?.(params);
      } catch (error) {
        onWarning(`a listener failed at ${notified}: ${String(error)}`);
      }
    }
  };
}

/** The hooks of the extensions, in their order. */
export function toExtensionMiddleware(extensions: readonly ClientExtension[]): Middleware[] {
  return extensions
    .filter(({ listTools, callTool }) => listTools ?? callTool)
    .map((extension) => (next) => (request, exchange) => {
      const send = () => next(request, exchange);
      if (extension.callTool && request.method === method.callTool) return extension.callTool(request, send);
      if (!extension.listTools || request.method !== method.listTools) return send();
      return send().then((page): Result => {
        if (!Array.isArray(page.tools)) return page;
        return { ...page, tools: [...(extension.listTools?.(page.tools as Tool[]) ?? [])] };
      });
    });
}
