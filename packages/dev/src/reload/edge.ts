// Serves the front: on a port, or to the process that started the command.
import type { Readable, Writable } from "node:stream";
import type { JsonObject } from "@lethe/protocol";
import { type ServeOptions, serve, serveStdio } from "@lethe/server/node";
import type { Front } from "../front/front.ts";

/** A served front. */
export interface Edge {
  /** Undefined over stdio. */
  readonly url: string | undefined;
  readonly port: number | undefined;
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
  readonly routes?: ServeOptions["routes"];
}

/** `given` are the options of `serve` in the author's program. Rejects with an Error if the port is in use. */
export async function listen(front: Front, given: JsonObject, { port, host, routes }: ListenOptions): Promise<Edge> {
  const serving = await serve(front, {
    ...(given as ServeOptions),
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(routes && { routes }),
  });
  return {
    url: serving.url,
    port: serving.port,
    left: new Promise(() => {}),
    async close() {
      front.close();
      await serving.close({ graceMs });
    },
  };
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
    left,
    async close() {
      stop.abort();
      await left;
    },
  };
}
