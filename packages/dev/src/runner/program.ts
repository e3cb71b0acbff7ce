// What the author's program creates and serves. `createServer`, `serve` and `serveStdio` of its imports lead here.
import type { JsonObject } from "@lethe/protocol";
import type { ServerOptions } from "@lethe/server";
import type { Servable, ServingLoad } from "@lethe/server/node";
import { isServer } from "./is-server.ts";

export interface Served {
  readonly server: Servable;
  /** The options of `serve`. Undefined for `serveStdio`. */
  readonly options: JsonObject | undefined;
}

export interface ProgramHooks {
  /** Adds what survives a reload to the options of `createServer`. */
  withDefaults(options: ServerOptions): ServerOptions;
  /** Resolves with the URL of the server when the command listens. */
  awaitUrl(): Promise<{ url: string; port: number }>;
}

/** The first `serve` or `serveStdio` of a program. */
export class Program {
  readonly #hooks: ProgramHooks;
  readonly #options = new WeakMap<object, ServerOptions>();
  readonly #created: Servable[] = [];
  /** Rejects for a program that serves in a way that is not supported. */
  readonly served: Promise<Served>;
  /** The end of the process is near. */
  readonly #ended: Promise<void>;
  #first: Servable | undefined;
  #resolve: (served: Served) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #end: () => void = () => {};

  constructor(hooks: ProgramHooks) {
    this.#hooks = hooks;
    this.served = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The author's code gets the error too.
    this.served.catch(() => {});
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get created(): readonly Servable[] {
    return this.#created;
  }

  optionsOf(server: Servable): ServerOptions {
    return this.#options.get(server) ?? {};
  }

  /** Lets `serveStdio` return and `close` of `serve` resolve. */
  end(): void {
    this.#end();
  }

  /** Replaces the function of `@lethe/server`. */
  readonly createServer = (original: (info: unknown, options?: ServerOptions) => Servable) => {
    return (info: unknown, options: ServerOptions = {}): Servable => {
      const server = original(info, this.#hooks.withDefaults(options));
      this.#options.set(server, options);
      this.#created.push(server);
      return server;
    };
  };

  /** Replaces the function of `@lethe/server/node`. */
  readonly serve = () => {
    return async (target: unknown, options: JsonObject = {}): Promise<object> => {
      this.#offer(target, "serve", options);
      const { url, port } = await this.#hooks.awaitUrl();
      const load: ServingLoad = { receiving: 0, running: 0, streams: 0 };
      return { url, port, connections: 0, load, close: () => this.#ended };
    };
  };

  /** Replaces the function of `@lethe/server/node`. */
  readonly serveStdio = () => {
    return async (target: unknown): Promise<void> => {
      this.#offer(target, "serveStdio", undefined);
      await this.#ended;
    };
  };

  #offer(target: unknown, name: string, options: JsonObject | undefined): void {
    try {
      if (!isServer(target)) throw new Error(`${name}: ${otherTarget(target)}`);
      if (this.#first !== undefined && this.#first !== target) {
        throw new Error(`${name}: lethe dev runs one server, and the program serves another one already`);
      }
    } catch (error) {
      this.#reject(error);
      throw error;
    }
    this.#first = target;
    this.#resolve({ server: target, options });
  }
}

function otherTarget(target: unknown): string {
  if (target instanceof Promise) return "a server expected, got a promise: await it first";
  const isSeveral = typeof target === "function" || (typeof target === "object" && target !== null);
  return isSeveral
    ? "lethe dev runs one server, and not several by path: name a file that exports one of them"
    : `a server expected, such as the result of createServer, got ${String(target)}`;
}
