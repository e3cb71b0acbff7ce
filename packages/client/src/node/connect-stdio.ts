// Connects to a server process, of any revision (D.2).
import { checkOptions, type Era, type Implementation, type KnownOptions, pickOptions } from "@lethe/protocol";
import { orGivenUp } from "../call/cancel-signal.ts";
import type { Connection } from "../call/connection.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { defaultClientInfo } from "../connect/client-info.ts";
import { type Decision, decideStdio, refuseLegacy } from "../era/decide.ts";
import { offeredVersionsOf, selectModern } from "../era/select-revision.ts";
import type { VerdictMemory } from "../era/verdict-memory.ts";
import { connectLegacy } from "../legacy/connect-legacy.ts";
import { knownLegacyOptions, type LegacyOptions } from "../legacy/legacy-connection.ts";
import { toModernConnection } from "./connect-modern.ts";
import { exchangeFirst, type FirstExchange, type FirstExchangeOptions, isAnswer } from "./first-exchange.ts";
import { withLastWords } from "./last-words.ts";
import { createLauncher, type Launcher } from "./launch-stdio.ts";
import { knownSpawnOptions, knownSpawnTarget, type SpawnOptions, type SpawnTarget } from "./spawn.ts";
import { type StartActivity, watchStart } from "./start-activity.ts";
import { knownStdioOptions, type StdioOptions, type StdioWire } from "./stdio.ts";

/** Options of a connection to a command. */
export interface ConnectStdioOptions extends SpawnOptions, StdioOptions, Omit<LegacyOptions, "clientInfo"> {
  /** The identity of the client. Default: the name and version of this package. */
  clientInfo?: Implementation;
  /** "auto" detects the era; "modern" accepts no other; "legacy" skips detection. Default "auto". */
  era?: Era | "auto";
  /** Time limit for the process's first response, in ms. Includes a download by `npx` or similar. Default 60 000. */
  startTimeoutMs?: number;
  /**
   * How long a server may ignore `server/discover` before the same process also gets `initialize`, in ms. Counted from
   * its first line on stdout or its last on stderr. Default 5 000.
   */
  probeTimeoutMs?: number;
  /** The eras that earlier connections detected, by command line. */
  verdicts?: VerdictMemory;
  /** Cancels connecting. Does not affect an established connection. */
  signal?: AbortSignal;
}

export const knownConnectStdioOptions: KnownOptions<ConnectStdioOptions> = {
  ...knownSpawnOptions,
  ...knownStdioOptions,
  ...knownLegacyOptions,
  clientInfo: true,
  era: true,
  startTimeoutMs: true,
  probeTimeoutMs: true,
  verdicts: true,
  signal: true,
};

const defaultStartTimeoutMs = 60_000;
const defaultProbeTimeoutMs = 5_000;

/**
 * Connects to a command. Starts the process once, and a second time only if it exited or refused to continue because of `server/discover`.
 * Rejects with McpError for an error response, and with TransportError for every other failure, also if the process does not respond within
 * 60 s (`startTimeoutMs`). Leaves no process then.
 *
 * @example
 * import { connectStdio } from "@lethe/client/node";
 *
 * const program = `
 *   import { createServer } from "@lethe/server";
 *   import { serveStdio } from "@lethe/server/node";
 *   await serveStdio(createServer({ name: "hello", version: "1.0.0" }));
 * `;
 * const target = { command: process.execPath, args: ["--input-type=module", "--eval", program] };
 *
 * const connection = await connectStdio(target, { onStderr: (line) => console.error(line) });
 * console.log(connection.era); // modern
 * await connection.close();
 */
export async function connectStdio(target: SpawnTarget, options: ConnectStdioOptions = {}): Promise<Connection> {
  checkOptions("connectStdio", options, knownConnectStdioOptions);
  checkOptions("connectStdio: target", target, knownSpawnTarget);
  const launcher = createLauncher(target, options);
  try {
    return await orGivenUp(`connecting to ${launcher.name}`, establish(launcher, options), options.signal);
  } catch (error) {
    await launcher.giveUp();
    throw toFailure(launcher, error, options);
  }
}

/** Quotes the output of a hanging server: it may be waiting for input. */
function toFailure({ name, stderrTail }: Launcher, error: unknown, options: ConnectStdioOptions): unknown {
  if (!isTransportError(error) || (error.reason !== "cancelled" && error.reason !== "timeout")) return error;
  return new TransportError(error.reason, withLastWords(toFailureText(name, error, options), stderrTail()), {
    cause: error.cause,
  });
}

function toFailureText(name: string, { reason, message }: TransportError, options: ConnectStdioOptions): string {
  const { startTimeoutMs = defaultStartTimeoutMs, signal } = options;
  if (reason === "timeout")
    return `${name} did not start within ${startTimeoutMs / 1_000} s (startTimeoutMs): ${message}`;
  const cause: unknown = signal?.reason;
  // A plain Error carries the caller's reason; the platform's own says only that the signal was aborted.
  const isWorded = cause instanceof Error && !(cause instanceof DOMException);
  return isWorded ? `connecting to ${name}: ${cause.message}` : message;
}

async function establish(launcher: Launcher, options: ConnectStdioOptions): Promise<Connection> {
  const { era = "auto", verdicts } = options;
  if (era === "legacy") return await initialize(await launcher.launch(), options);
  const known = era === "auto" ? verdicts?.get(launcher.key) : undefined;
  if (known?.era === "legacy") {
    const wire = await launcher.launch();
    const connection = await initialize(wire, options).catch(unlessTimeout);
    if (connection) return connection;
    // The remembered verdict is outdated: detect the era again (D.2/1).
    verdicts?.delete(launcher.key);
    await wire.close();
  }
  const { wire, first } = await ask(launcher, options);
  if (first.kind === "failed") throw first.error;
  if (first.kind === "session") return remember(launcher, first.connection, first.isCertain, options);
  if (first.kind === "locked") return await openModern(launcher, wire, options);
  const { outcome } = first;
  const decision = decideStdio(launcher.name, outcome);
  if (decision.kind !== "legacy") return toModern(launcher, wire, decision, options);
  // Neither silence nor an exit proves an era.
  if ("error" in outcome && isTransportError(outcome.error) && isSilence(outcome.error, era)) throw outcome.error;
  if (era === "modern") throw refuseLegacy(launcher.name, decision.because);
  return await goOnLegacy(launcher, wire, first, options);
}

async function ask(
  launcher: Launcher,
  options: ConnectStdioOptions,
): Promise<{ wire: StdioWire; first: FirstExchange }> {
  const { era = "auto", startTimeoutMs = defaultStartTimeoutMs, probeTimeoutMs = defaultProbeTimeoutMs } = options;
  const activity = era === "auto" ? watchStart({ startTimeoutMs, probeTimeoutMs }) : undefined;
  try {
    const wire = await launcher.launch(activity);
    return { wire, first: await exchangeFirst(wire, toFirstExchange(options, activity)) };
  } finally {
    activity?.stop();
  }
}

// Only a client that accepts any era restarts a process that exited: `server/discover` may have been the reason (J-28).
function isSilence({ reason }: TransportError, era: Era | "auto"): boolean {
  return reason === "timeout" || (reason === "lost" && era === "modern");
}

function toFirstExchange(options: ConnectStdioOptions, activity?: StartActivity): FirstExchangeOptions {
  const { clientInfo, capabilities, startTimeoutMs = defaultStartTimeoutMs } = options;
  return {
    ...{ clientInfo, capabilities, startTimeoutMs, activity },
    initialize: (wire: MessageWire) => initialize(wire, options),
  };
}

// D.2/6: in the same process if it answered, which saves a start; in a new one if that fails.
async function goOnLegacy(
  launcher: Launcher,
  asked: StdioWire,
  { outcome, hasRefusedInitialize }: Extract<FirstExchange, { kind: "asked" }>,
  options: ConnectStdioOptions,
): Promise<Connection> {
  const isReusable = isAnswer(outcome) && !hasRefusedInitialize;
  const connection = isReusable ? await initialize(asked, options).catch(unlessTimeout) : undefined;
  if (connection) return remember(launcher, connection, true, options);
  // The first message can fix a server's era, or make it exit (J-28).
  const fresh = await launcher.relaunch(asked);
  try {
    // Not remembered: the process may have exited for another reason.
    return await initialize(fresh, options);
  } catch (error) {
    if (!selectModern(offeredVersionsOf(error) ?? [])) throw error;
    // A server that rejects `initialize` and names modern revisions is modern.
    return await openModern(launcher, fresh, options);
  }
}

/** In a new process: the previous one accepted `initialize`. */
async function openModern(launcher: Launcher, before: StdioWire, options: ConnectStdioOptions): Promise<Connection> {
  const wire = await launcher.relaunch(before);
  const first = await exchangeFirst(wire, toFirstExchange(options));
  if (first.kind !== "asked") throw new TransportError("invalid", `${launcher.name} did not answer server/discover`);
  return toModern(launcher, wire, decideStdio(launcher.name, first.outcome), options);
}

function remember(
  { key }: Launcher,
  connection: Connection,
  isCertain: boolean,
  { verdicts }: ConnectStdioOptions,
): Connection {
  // A verdict based on silence is detected again at the next start.
  if (isCertain) verdicts?.set(key, { era: "legacy", revision: connection.revision });
  return connection;
}

function toModern({ key }: Launcher, wire: StdioWire, decision: Decision, options: ConnectStdioOptions): Connection {
  if (decision.kind === "legacy") throw refuseLegacy(wire.peer, decision.because);
  if (decision.kind === "failed") throw decision.error;
  options.verdicts?.set(key, { era: "modern", revision: decision.revision });
  return toModernConnection(wire, decision, options);
}

function initialize(wire: MessageWire, options: ConnectStdioOptions): Promise<Connection> {
  const { clientInfo = defaultClientInfo, startTimeoutMs = defaultStartTimeoutMs } = options;
  const shared = { initializeTimeoutMs: startTimeoutMs, ...options, clientInfo };
  return connectLegacy(wire, pickOptions<LegacyOptions>(shared, knownLegacyOptions));
}

/** A process that is still starting is not started again. */
function unlessTimeout(error: unknown): undefined {
  if (isTransportError(error) && error.reason === "timeout") throw error;
}
