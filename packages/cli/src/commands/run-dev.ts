// The code of lethe dev: starts the server, prints what happens, and stops in order.
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { PassThrough } from "node:stream";
import { openBrowser } from "@lethe/client/node";
import { type DevEvent, startDev } from "@lethe/dev";
import { createEventText } from "../dev-command/event-text.ts";
import { CommandError, exitCode } from "../exit-code.ts";
import { createStyle } from "../terminal/style.ts";

export interface DevCommandOptions {
  stdio?: boolean;
  open?: boolean;
  port?: number;
  host?: string;
  /** False with --no-env-file. */
  envFile?: string[] | boolean;
  watch?: string[];
}

/** Rejects with CommandError. */
export async function runDev(file: string, args: readonly string[], options: DevCommandOptions): Promise<void> {
  const entry = requireSource(file);
  const { stdio: isStdio = false, open: isOpening = false, port, host, envFile, watch = [] } = options;
  if (isStdio && (port !== undefined || host !== undefined)) {
    throw new CommandError("--stdio listens on no port: leave out --port and --host");
  }
  if (isStdio && isOpening) throw new CommandError("--stdio serves no console: leave out --open");
  const output = isStdio ? process.stderr : process.stdout;
  const toText = createEventText({ entry, style: createStyle(output) });
  const stop = waitForStop();
  const input = isStdio ? process.stdin.pipe(new PassThrough()) : undefined;
  let isReady = false;
  const given = Array.isArray(envFile) ? envFile : undefined;
  const server = await startDev({
    entry,
    args,
    environment: {
      files: envFile === false ? [] : (given ?? [".env"]).map((path) => resolve(path)),
      areRequired: given !== undefined,
    },
    watched: watch.map((path) => resolve(path)),
    runner: createRequire(import.meta.url).resolve("#runner"),
    ...(input ? { stdio: { input, output: process.stdout } } : { http: { port, host } }),
    onEvent(event: DevEvent) {
      if (event.kind === "ready") isReady = true;
      const { text, isError } = toText(event);
      (isError ? process.stderr : output).write(text);
      if (event.kind === "ready" && isOpening) void showConsole(event.consoleUrl);
    },
  });
  // Before the server is ready nothing else reads the input.
  const left = new Promise<void>((done) => input?.once("end", done).once("finish", () => isReady || done()));
  try {
    await Promise.race([stop, left, server.ended]);
  } catch (error) {
    throw new CommandError(toListenError(error as Error), exitCode.unreachable);
  } finally {
    await server.close();
  }
}

/** A console that does not open is no reason to end. */
async function showConsole(url: string | undefined): Promise<void> {
  if (url === undefined) process.stderr.write("The console opens on this machine only: leave out --host\n");
  else if (!(await openBrowser(new URL(url))))
    process.stderr.write(`No browser could be started: open ${url} yourself\n`);
}

function requireSource(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw new CommandError(`${file} does not exist`);
  if (!stats.isFile())
    throw new CommandError(`${file} is a folder: name the file of the server, such as src/server.ts`);
  if (!/\.[cm]?[jt]sx?$/.test(file)) throw new CommandError(`${file} is no TypeScript or JavaScript file`);
  return resolve(file);
}

function toListenError({ message }: Error): string {
  return message.includes("in use") ? `${message}; --port 0 selects a free one` : message;
}

/** Stops at the first signal and exits at once at the second. */
function waitForStop(): Promise<void> {
  return new Promise((done) => {
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) process.exit(130);
      isStopping = true;
      done();
    };
    process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
  });
}
