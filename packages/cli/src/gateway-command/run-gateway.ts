// Runs a gateway. SIGINT and SIGTERM let running requests finish, and SIGHUP reloads the configuration.
import { createFileAuthStore } from "@lethe/client/node";
import {
  ConfigError,
  type GatewaySettings,
  type LogFormat,
  type LogSink,
  type ReadConfig,
  type ServedGateway,
  serveGateway,
} from "@lethe/gateway";
import { serveGatewayByWorkers } from "@lethe/gateway/workers";
import { toWorkerCount, type WorkerProcess, workerProcess } from "@lethe/server/workers";
import { CommandError, exitCode } from "../exit-code.ts";
import { stateFolder } from "../state-folder.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import type { ListenOptions, WorkersOption } from "./gateway-options.ts";
import { type HangUps, receiveHangUps } from "./hang-ups.ts";
import { findKeyProblem } from "./key-problem.ts";
import { toCommandError } from "./load-config.ts";
import { createLogSink } from "./log-sink.ts";

/** A signal to a process and to its group, as `timeout` sends it, arrives twice within this time, in ms. It is one. */
const sameSignalMs = 100;

export interface RunOptions extends ListenOptions, WorkersOption {
  /** False does not reload changed files. */
  watch?: boolean;
}

export interface RunParts {
  /** Receives SIGHUP since the command began. By default, since `runGateway` did. */
  hangUps?: HangUps;
  /** Rejects with ConfigError, or CommandError. */
  load(): Promise<ReadConfig>;
  /** The text for stdout after every server was tried. */
  toBanner(served: ServedGateway, style: Style, settings: GatewaySettings): string;
  /** After every server was tried, returns the reason to stop. By default the gateway continues. */
  toFailure?(served: ServedGateway): string | undefined;
}

/** Rejects with CommandError. */
export async function runGateway(options: RunOptions, parts: RunParts): Promise<void> {
  const worker = workerProcess();
  const hangUps = parts.hangUps ?? receiveHangUps();
  const first = await parts.load().catch((error: Error) => (worker ? endWorker(worker, error) : toCommandError(error)));
  requireReadableKeys();
  const { settings = {} } = first.config;
  const format = options.log ?? settings.log;
  let isFirst = true;
  const load = async (): Promise<ReadConfig> => {
    if (!isFirst) return parts.load();
    isFirst = false;
    return first;
  };
  const stop = waitForStop(worker !== undefined);
  const started: Started = { options, parts, load, settings, format, stop, hangUps };
  if (worker) return serveAsWorker(worker, started);
  const count = toWorkerCount(options.workers ?? settings.workers ?? 1);
  return count > 1 ? runWorkers(count, started) : serveAlone(started);
}

/** Throws CommandError. */
function requireReadableKeys(): void {
  const problem = findKeyProblem();
  if (problem !== undefined) throw new CommandError(problem);
}

/** What the command knows before it serves. */
interface Started {
  readonly options: RunOptions;
  readonly parts: RunParts;
  /** Returns the configuration that was read already, then reads it again. */
  load(): Promise<ReadConfig>;
  readonly settings: GatewaySettings;
  readonly format: LogFormat | undefined;
  readonly stop: Promise<void>;
  readonly hangUps: HangUps;
}

async function serveAlone(started: Started): Promise<void> {
  const { settings, format, stop, parts, hangUps } = started;
  let hasTold = false;
  const served = await serveConfigured(started, { hasTold: () => hasTold }).catch(toStartError);
  if (format === undefined) process.stderr.write(toStartLine(served, createStyle(process.stderr)));
  hangUps.reloadBy(() => void served.reload());
  let isStopping = false;
  void stop.then(() => {
    isStopping = true;
  });
  await Promise.race([served.settled, stop]);
  const failure = isStopping ? undefined : parts.toFailure?.(served);
  if (failure !== undefined) {
    await served.close();
    throw new CommandError(failure, exitCode.unreachable);
  }
  if (!isStopping) process.stdout.write(parts.toBanner(served, createStyle(process.stdout), settings));
  hasTold = true;
  await stop;
  await served.close();
  hangUps.close();
  // An export over gRPC cannot be broken off, and would keep the process until its timeout. Without one, the process ends at once.
  setTimeout(() => process.exit(), longestEndMs).unref();
}

/** How long what a closed gateway left may hold the process, in ms. */
const longestEndMs = 1_000;

/** Starts the workers, which run this command too, and ends when they have ended. Rejects with CommandError. */
async function runWorkers(count: number, { options, load, format, stop, hangUps }: Started): Promise<void> {
  const style = createStyle(process.stderr);
  const workers = await serveGatewayByWorkers({
    ...{ count, load, watches: options.watch ?? true },
    log: createLogSink({ ...{ format, style, isVerbose: true, endsOnFailure: false }, hasTold: () => true, write }),
  }).catch(toStartError);
  hangUps.reloadBy(() => void workers.reload());
  const failure = await Promise.race([stop, workers.givenUp]);
  await workers.close();
  hangUps.close();
  if (failure !== undefined) throw new CommandError(failure, exitCode.unreachable);
}

/** The parent receives the same signals from a terminal, and decides what they mean. This process ends when its parent wants it. */
async function serveAsWorker(worker: WorkerProcess, started: Started): Promise<void> {
  const { settings, format, stop, parts } = started;
  const tells = worker.number === 1;
  let hasTold = !tells;
  const served = await serveConfigured(started, { worker, hasTold: () => hasTold }).catch((error: Error) =>
    endWorker(worker, error),
  );
  void stop.then(() => served.close().finally(() => process.exit(0)));
  if (!tells) return;
  if (format === undefined) process.stderr.write(toStartLine(served, createStyle(process.stderr)));
  await served.settled;
  const failure = parts.toFailure?.(served);
  if (failure !== undefined) return void worker.ask(failure).catch(() => {});
  process.stdout.write(parts.toBanner(served, createStyle(process.stdout), settings));
  hasTold = true;
}

/** What the error of a parent has as its cause when its worker could not start. */
interface WorkerEnd {
  readonly exitCode: number;
}

/** Ends this process, and lets its parent print why and exit with the same code. */
function endWorker(worker: WorkerProcess, error: Error): Promise<never> {
  const end: WorkerEnd = { exitCode: exitCodeOf(error) };
  worker.failed(error.message, end);
  // The parent has read the reason before it notices the end.
  setImmediate(() => process.exit(end.exitCode));
  return new Promise<never>(() => {});
}

function toStartError(error: Error): never {
  throw error instanceof CommandError ? error : new CommandError(error.message, exitCodeOf(error));
}

function exitCodeOf(error: Error): number {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof ConfigError) return exitCode.usage;
  const { exitCode: code } = (error.cause ?? {}) as Partial<WorkerEnd>;
  return code ?? exitCode.unreachable;
}

const write = (text: string): void => void process.stderr.write(text);

interface ServeOptions {
  readonly worker?: WorkerProcess;
  hasTold(): boolean;
}

function serveConfigured(started: Started, { worker, hasTold }: ServeOptions): Promise<ServedGateway> {
  const { options, parts, load, format } = started;
  const { port, host, watch = true, verbose: isVerbose = false } = options;
  const style = createStyle(process.stderr);
  const sink = createLogSink({
    format,
    style,
    isVerbose,
    hasTold,
    endsOnFailure: parts.toFailure !== undefined,
    write,
  });
  return serveGateway({
    ...{ load, worker, watches: watch && !worker },
    settings: { ...(port !== undefined && { port }), ...(host !== undefined && { host }) },
    ledgerFolder: stateFolder(process.env, "children"),
    gateway: {
      issuers: createFileAuthStore(stateFolder(process.env, "issuers")),
      facts: createFileAuthStore(stateFolder(process.env, "facts")),
    },
    // Loaded only if Redis is configured.
    async share(share) {
      const { shareByRedis } = await import("@lethe/redis");
      return shareByRedis(share).catch(({ message }: Error) => {
        throw new CommandError(message, exitCode.unreachable);
      });
    },
    // Loaded only if PostgreSQL is configured.
    async shareByPostgres(share) {
      const { shareByPostgres } = await import("@lethe/postgres");
      return shareByPostgres(share).catch(({ message }: Error) => {
        throw new CommandError(message, exitCode.unreachable);
      });
    },
    logsRequests: format !== undefined || isVerbose,
    log: worker ? toWorkerLog(worker, sink, started) : sink,
  });
}

/** Each line of a log says which worker wrote it. At a terminal, one worker speaks for all. */
function toWorkerLog({ slot }: WorkerProcess, sink: LogSink, { format, options }: Started): LogSink {
  if (format !== undefined) return (entry) => sink({ ...entry, worker: slot });
  return slot === 1 || options.verbose ? sink : () => {};
}

/** The first lines, printed as soon as the port is open. Lines for ready servers and the banner follow. */
function toStartLine({ url, adminUrl, gateway }: ServedGateway, style: Style): string {
  const { length } = gateway.upstreams;
  const consoleUrl = new URL("/console", adminUrl).href;
  return `Console at ${style.bold(consoleUrl)}\n${style.bold(`Listening on ${url}`)}, starting ${length} server${length === 1 ? "" : "s"}\n`;
}

/** Stops at the first signal and exits at once at the second, with the code that shells give to a process that it ended. */
function waitForStop(isWorker: boolean): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined;
    const stop = (_: NodeJS.Signals, number: number) => {
      const now = performance.now();
      stoppedAt ??= now;
      if (now - stoppedAt > sameSignalMs) process.exit(128 + number);
      resolve();
    };
    // Ctrl-C reaches the workers too, which wait for what their parent says.
    process.on("SIGINT", isWorker ? () => {} : stop).on("SIGTERM", isWorker ? () => resolve() : stop);
  });
}
