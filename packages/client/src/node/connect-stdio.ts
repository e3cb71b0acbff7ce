// Connects to a server process, whatever revision it speaks (D.2).
import type { Era, Implementation } from "@lethe/protocol";
import { orGivenUp } from "../call/cancel-signal.ts";
import type { Connection } from "../call/connection.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { defaultClientInfo } from "../connect/client-info.ts";
import { type Decision, decideStdio, refuseLegacy } from "../era/decide.ts";
import { offeredVersionsOf, selectModern } from "../era/select-revision.ts";
import type { VerdictMemory } from "../era/verdict-memory.ts";
import { connectLegacy, type LegacyOptions } from "../legacy/connect-legacy.ts";
import { exchangeFirst, type FirstExchange, type FirstExchangeOptions, isAnswer } from "./first-exchange.ts";
import { withLastWords } from "./last-words.ts";
import { createLauncher, type Launcher } from "./launch-stdio.ts";
import { createModernStdio } from "./modern-stdio.ts";
import type { SpawnOptions, SpawnTarget } from "./spawn.ts";
import { type StartActivity, watchStart } from "./start-activity.ts";
import type { StdioOptions, StdioWire } from "./stdio.ts";

export interface ConnectStdioOptions extends SpawnOptions, StdioOptions, Omit<LegacyOptions, "clientInfo"> {
  clientInfo?: Implementation;
  /** "auto" asks the server (D.2); "modern" takes no other; "legacy" does not ask. Default "auto". */
  era?: Era | "auto";
  /** How long a process may take to its first answer, in milliseconds: it may have to be downloaded. Default 60,000. */
  startTimeoutMs?: number;
  /**
   * How long a server may ignore the question of its era, in milliseconds, before it gets `initialize` as well, in the same
   * process. Counted from its first line on stdout, or its last on stderr. Default 5,000.
   */
  probeTimeoutMs?: number;
  /** What earlier connections found out, by command line. */
  verdicts?: VerdictMemory;
  /** Ends the connecting; a connection that is there already is not concerned. */
  signal?: AbortSignal;
}

const defaultStartTimeoutMs = 60_000;
const defaultProbeTimeoutMs = 5_000;

/**
 * Starts the process once; a second time only when it ended, or refused to go on, because of the question of its era. Rejects
 * with McpError for what the server answered, with TransportError for everything below, and leaves no process.
 */
export async function connectStdio(target: SpawnTarget, options: ConnectStdioOptions = {}): Promise<Connection> {
  const launcher = createLauncher(target, options);
  try {
    return await orGivenUp(`connecting to ${launcher.name}`, establish(launcher, options), options.signal);
  } catch (error) {
    await launcher.giveUp();
    throw toFailure(launcher, error, options);
  }
}

/** Quotes what a hanging server wrote: it may have asked for something that nobody sees. */
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
  // A plain Error has the words of the caller; those of the platform say only that the signal was aborted.
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
    // The server is not any more what it was: find out anew (D.2/1).
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
  // Neither silence nor the end of a process is evidence of an era.
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

/** Only a client that takes any era starts a process again that has ended: the question may have been the reason (J-28). */
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

/** D.2/6: in the same process when it answered, which saves a start; in a fresh one when that did not work out. */
async function goOnLegacy(
  launcher: Launcher,
  asked: StdioWire,
  { outcome, hasRefusedInitialize }: Extract<FirstExchange, { kind: "asked" }>,
  options: ConnectStdioOptions,
): Promise<Connection> {
  const isReusable = isAnswer(outcome) && !hasRefusedInitialize;
  const connection = isReusable ? await initialize(asked, options).catch(unlessTimeout) : undefined;
  if (connection) return remember(launcher, connection, true, options);
  // The first message can lock a server's era, or end it (J-28).
  const fresh = await launcher.relaunch(asked);
  try {
    // Not remembered: the process may have ended for another reason.
    return await initialize(fresh, options);
  } catch (error) {
    if (!selectModern(offeredVersionsOf(error) ?? [])) throw error;
    // What refuses `initialize` and names modern revisions is modern.
    return await openModern(launcher, fresh, options);
  }
}

/** In another process than the one before, which took `initialize`. */
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
  // A verdict that was reached in silence is found out anew at the next start.
  if (isCertain) verdicts?.set(key, { era: "legacy", revision: connection.revision });
  return connection;
}

function toModern({ key }: Launcher, wire: StdioWire, decision: Decision, options: ConnectStdioOptions): Connection {
  if (decision.kind === "legacy") throw refuseLegacy(wire.peer, decision.because);
  if (decision.kind === "failed") throw decision.error;
  const { revision, server } = decision;
  options.verdicts?.set(key, { era: "modern", revision });
  const { dispatch, close } = createModernStdio(wire, options);
  const closed = wire.closed.then(({ message }) => ({ reason: message }));
  return { dispatch, era: "modern", revision, server, closed, close };
}

function initialize(wire: MessageWire, options: ConnectStdioOptions): Promise<Connection> {
  const { clientInfo = defaultClientInfo, startTimeoutMs = defaultStartTimeoutMs } = options;
  return connectLegacy(wire, { initializeTimeoutMs: startTimeoutMs, ...options, clientInfo });
}

/** A process that is still starting is not started again. */
function unlessTimeout(error: unknown): undefined {
  if (isTransportError(error) && error.reason === "timeout") throw error;
}
