// Serves the front: on a port, or to the process that started the command.
import type { Readable, Writable } from "node:stream";
import { createPlaygroundRoutes } from "@lethe/gateway/console";
import type { JsonObject } from "@lethe/protocol";
import { type ServeOptions, serve, serveStdio } from "@lethe/server/node";
import type { Front } from "../front/front.ts";

/** A served front. */
export interface Edge {
  /** Undefined over stdio. */
  readonly url: string | undefined;
  readonly port: number | undefined;
  /** The address of the web console. Undefined where no browser of this machine reaches it: over stdio, or on another address. */
  readonly consoleUrl: string | undefined;
  /** Resolves when the client of stdio has left. Never over HTTP. */
  readonly left: Promise<void>;
  close(): Promise<void>;
}

/** How long running requests may continue when the command stops, in ms. */
const graceMs = 2_000;

export interface ListenOptions {
  /** Win over the options of the program. */
  readonly port?: number | undefined;
  readonly host?: string | undefined;
}

export interface ServedProgram {
  readonly front: Front;
  /** The name of the server, for the title of the console. */
  readonly name: string;
  /** The options of `serve` in the author's program. */
  readonly given: JsonObject;
}

/** Rejects with an Error if the port is in use. */
export async function listen({ front, name, given }: ServedProgram, { port, host }: ListenOptions): Promise<Edge> {
  const { path = "/mcp", ...options } = given as ServeOptions;
  const serving = await serve(front, {
    ...options,
    path,
    routes: createPlaygroundRoutes({ name, mcp: path }),
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
  });
  return {
    url: serving.url,
    port: serving.port,
    consoleUrl: toConsoleUrl(serving.url),
    left: new Promise(() => {}),
    async close() {
      front.close();
      await serving.close({ graceMs });
    },
  };
}

/** The console is for browsers on this machine. */
function toConsoleUrl(url: string): string | undefined {
  const { href, hostname } = new URL("/console/", url);
  return ["127.0.0.1", "localhost", "[::1]"].includes(hostname) ? href : undefined;
}

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
}

export function serveOverStdio(front: Front, { input, output }: StdioStreams): Edge {
  const stop = new AbortController();
  const left = serveStdio(front, { input, output, graceMs, signal: stop.signal, guardsOutput: false });
  return {
    url: undefined,
    port: undefined,
    consoleUrl: undefined,
    left,
    async close() {
      stop.abort();
      await left;
    },
  };
}
