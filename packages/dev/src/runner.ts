// The program of the process that runs the author's code. It ends with the process that started it.

import { provideParentStores } from "@lethe/server/workers";
import { replacementsSymbol } from "./bundle/replaced.ts";
import { Channel } from "./channel/channel.ts";
import type { CallRequest, CallResult, LoadedServer, LoadRequest, StoreRequest } from "./channel/runner-messages.ts";
import { CallAnswerer } from "./runner/call-answerer.ts";
import { describeServer } from "./runner/describe-server.ts";
import { loadProgram } from "./runner/load-program.ts";
import { Program, type Served } from "./runner/program.ts";
import { withServerDefaults } from "./runner/server-defaults.ts";

let served: Served | undefined;
let isEnding = false;

function serverOf() {
  if (!served) throw new Error("no server is loaded");
  return served.server;
}

async function load({ url, entry, args, environment }: LoadRequest): Promise<LoadedServer> {
  Object.assign(process.env, environment);
  process.argv.splice(1, process.argv.length, entry, ...args);
  served = await loadProgram(url, entry, program);
  return describeServer(served, program.optionsOf(served.server));
}

const channel: Channel = new Channel(
  // The command may be gone already.
  { send: (message) => void process.send?.(message, undefined, undefined, () => {}) },
  {
    load,
    /** Packages without effects are loaded before they are needed. */
    async warm(urls: readonly string[]) {
      await Promise.allSettled(urls.map((url) => import(url)));
    },
    call: (call: CallRequest): Promise<CallResult> => answerer.answer(serverOf(), call),
    abort: (id: number) => answerer.abort(id),
    pause: (id: number) => answerer.pause(id),
    resume: (id: number) => answerer.resume(id),
    authenticate: (authorization: string | null) => serverOf().authenticator?.authenticate(authorization ?? undefined),
    completeCallback: ({ token, body }: { token: string; body: unknown }) =>
      serverOf().callbacks?.complete(token, body),
    /** Stops background work. Running requests continue. */
    retire: () => served?.server.close?.(),
    /** Runs the handlers for SIGTERM of the code, which may finish what they do. */
    end() {
      isEnding = true;
      channel.close(new Error("the process ends"));
      program.end();
      if (!process.emit("SIGTERM", "SIGTERM")) process.exit(0);
      process.disconnect();
    },
  },
);
provideParentStores((operation, ...given) => channel.ask("store", { operation, given } satisfies StoreRequest));
const answerer = new CallAnswerer(channel);
const program = new Program({
  withDefaults: (options) => withServerDefaults(options, channel),
  awaitUrl: () => channel.ask("url"),
});
const { createServer, serve, serveStdio } = program;
Object.assign(globalThis, { [Symbol.for(replacementsSymbol)]: { createServer, serve, serveStdio } });

process.on("message", (message) => channel.receive(message));
process.on("disconnect", () => {
  if (!isEnding) process.exit(1);
});
