// Runs a gateway. SIGINT and SIGTERM let running requests finish, and SIGHUP reloads the configuration.
import { createFileAuthStore } from "@lethe/client/node";
import { type GatewaySettings, type ReadConfig, type ServedGateway, serveGateway } from "@lethe/gateway";
import { CommandError, exitCode } from "../exit-code.ts";
import { stateFolder } from "../state-folder.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import type { ListenOptions } from "./gateway-options.ts";
import { toCommandError } from "./load-config.ts";
import { createLogSink } from "./log-sink.ts";

export interface RunOptions extends ListenOptions {
  /** False does not reload changed files. */
  watch?: boolean;
}

export interface RunParts {
  /** Rejects with ConfigError, or CommandError. */
  load(): Promise<ReadConfig>;
  /** The text for stdout after every server was tried. */
  toBanner(served: ServedGateway, style: Style, settings: GatewaySettings): string;
  /** After every server was tried, returns the reason to stop. By default the gateway continues. */
  toFailure?(served: ServedGateway): string | undefined;
}

/** Rejects with CommandError. */
export async function runGateway(options: RunOptions, { load, toBanner, toFailure }: RunParts): Promise<void> {
  const style = createStyle(process.stderr);
  const { port, host, watch = true, verbose = false } = options;
  const first = await load().catch(toCommandError);
  const stop = waitForStop();
  const { settings = {} } = first.config;
  const format = options.log ?? settings.log;
  let isFirst = true;
  let hasTold = false;
  const served = await serveGateway({
    load: async () => {
      if (!isFirst) return load();
      isFirst = false;
      return first;
    },
    settings: { ...(port !== undefined && { port }), ...(host !== undefined && { host }) },
    watches: watch,
    ledgerFolder: stateFolder(process.env, "children"),
    gateway: {
      issuers: createFileAuthStore(stateFolder(process.env, "issuers")),
      facts: createFileAuthStore(stateFolder(process.env, "facts")),
    },
    // Loaded only if Redis is configured.
    async share(parts) {
      const { shareByRedis } = await import("@lethe/redis");
      return shareByRedis(parts).catch(({ message }: Error) => {
        throw new CommandError(message, exitCode.unreachable);
      });
    },
    logsRequests: format !== undefined || verbose,
    log: createLogSink({
      format,
      style,
      isVerbose: verbose,
      hasTold: () => hasTold,
      endsOnFailure: toFailure !== undefined,
      write: (text) => void process.stderr.write(text),
    }),
  }).catch((error: Error) => {
    throw error instanceof CommandError ? error : new CommandError(error.message);
  });
  if (format === undefined) process.stderr.write(toStartLine(served, style));
  const onHangUp = () => void served.reload();
  process.on("SIGHUP", onHangUp);
  let isStopping = false;
  void stop.then(() => {
    isStopping = true;
  });
  await Promise.race([served.settled, stop]);
  const failure = isStopping ? undefined : toFailure?.(served);
  if (failure !== undefined) {
    await served.close();
    throw new CommandError(failure, exitCode.unreachable);
  }
  if (!isStopping) process.stdout.write(toBanner(served, createStyle(process.stdout), settings));
  hasTold = true;
  await stop;
  await served.close();
  process.off("SIGHUP", onHangUp);
}

/** The first lines, printed as soon as the port is open. Lines for ready servers and the banner follow. */
function toStartLine({ url, adminUrl, gateway }: ServedGateway, style: Style): string {
  const { length } = gateway.upstreams;
  const consoleUrl = new URL("/console", adminUrl).href;
  return `Console at ${style.bold(consoleUrl)}\n${style.bold(`Listening on ${url}`)}, starting ${length} server${length === 1 ? "" : "s"}\n`;
}

/** Stops at the first signal and exits at once at the second. */
function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      resolve();
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
  });
}
