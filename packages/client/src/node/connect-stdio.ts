// Connects to a server process, whatever revision it speaks (D.2).
import {
  type ClientCapabilities,
  type Era,
  type Implementation,
  isMcpError,
  method,
  modernRevision,
  type Result,
} from "@lethe/protocol";
import { createRequestBuilder } from "../call/build-request.ts";
import { orGivenUp } from "../call/cancel-signal.ts";
import type { Connection } from "../call/connection.ts";
import { createRequester } from "../call/requester.ts";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { defaultClientInfo } from "../connect/client-info.ts";
import { type Decision, decideStdio, type ProbeOutcome, refuseLegacy } from "../era/decide.ts";
import { offeredVersionsOf, selectModern } from "../era/select-revision.ts";
import type { VerdictMemory } from "../era/verdict-memory.ts";
import { connectLegacy, type LegacyOptions } from "../legacy/connect-legacy.ts";
import { withLastWords } from "./last-words.ts";
import { createModernStdio } from "./modern-stdio.ts";
import { type ServerProcess, type SpawnOptions, type SpawnTarget, spawnServer } from "./spawn.ts";
import { createStdioWire, type StdioOptions, type StdioWire } from "./stdio.ts";

export interface ConnectStdioOptions extends SpawnOptions, StdioOptions, Omit<LegacyOptions, "clientInfo"> {
  clientInfo?: Implementation;
  /** "auto" asks the server (D.2); "modern" takes no other; "legacy" does not ask. Default "auto". */
  era?: Era | "auto";
  /** How long a server may take to answer the question of its era, in milliseconds. Default 5,000. */
  probeTimeoutMs?: number;
  /** What earlier connections found out, by command line. */
  verdicts?: VerdictMemory;
  /** Ends the connecting; a connection that is there already is not concerned. */
  signal?: AbortSignal;
}

/** Rejects with McpError for what the server answered, with TransportError for everything below, and leaves no process. */
export async function connectStdio(target: SpawnTarget, options: ConnectStdioOptions = {}): Promise<Connection> {
  const launcher = createLauncher(target, options);
  try {
    return await orGivenUp(`connecting to ${launcher.name}`, establish(launcher, options), options.signal);
  } catch (error) {
    await launcher.giveUp();
    throw toFailure(launcher, error, options.signal);
  }
}

/** A server that hangs is told of with what it wrote: it may have asked for something that nobody sees. */
function toFailure({ name, stderrTail }: Launcher, error: unknown, signal: AbortSignal | undefined): unknown {
  if (!isTransportError(error) || (error.reason !== "cancelled" && error.reason !== "timeout")) return error;
  const reason: unknown = signal?.reason;
  // A plain Error is in the words of whoever gave up; the platform's own say no more than that somebody did.
  const isWorded = reason instanceof Error && !(reason instanceof DOMException);
  const what = isWorded ? `connecting to ${name}: ${reason.message}` : error.message;
  return new TransportError(error.reason, withLastWords(what, stderrTail()), { cause: error.cause });
}

async function establish(launcher: Launcher, options: ConnectStdioOptions): Promise<Connection> {
  const { era = "auto", verdicts } = options;
  if (era === "legacy") return await initialize(await launcher.launch(), options);
  const known = era === "auto" ? verdicts?.get(launcher.key) : undefined;
  if (known?.era === "legacy") {
    const wire = await launcher.launch();
    const connection = await initialize(wire, options).catch(nothing);
    if (connection) return connection;
    // The server is not any more what it was: find out anew (D.2/1).
    verdicts?.delete(launcher.key);
    await wire.close();
  }
  const wire = await launcher.launch();
  const outcome = await probe(wire, options);
  const decision = decideStdio(launcher.name, outcome);
  if (decision.kind !== "legacy") return toModern(launcher, wire, decision, options);
  if (era === "modern") throw refuseLegacy(launcher.name, decision.because);
  return await goOnLegacy(launcher, wire, outcome, options);
}

/** D.2/6: in the same process when it answered, which saves a start; in a fresh one when that did not work out. */
async function goOnLegacy(
  launcher: Launcher,
  asked: StdioWire,
  outcome: ProbeOutcome,
  options: ConnectStdioOptions,
): Promise<Connection> {
  const isAnswered = "result" in outcome || isMcpError(outcome.error);
  const connection = isAnswered ? await initialize(asked, options).catch(nothing) : undefined;
  if (connection) {
    options.verdicts?.set(launcher.key, { era: "legacy", revision: connection.revision });
    return connection;
  }
  // The first message can lock a server's era, or end it (J-28).
  await asked.close();
  const fresh = await launcher.launch();
  try {
    // Not remembered after silence: a slow start is no evidence of an era.
    return await initialize(fresh, options);
  } catch (error) {
    if (!selectModern(offeredVersionsOf(error) ?? [])) throw error;
    // It was only slow: what refuses `initialize` and names modern revisions is modern.
    const patient = { ...options, probeTimeoutMs: options.initializeTimeoutMs ?? 60_000 };
    await fresh.close();
    const again = await launcher.launch();
    return toModern(launcher, again, decideStdio(launcher.name, await probe(again, patient)), options);
  }
}

/** D.2/2. Asked again once when it offers what it has just refused (J-22). */
async function probe(wire: StdioWire, options: ConnectStdioOptions): Promise<ProbeOutcome> {
  const first = await discover(wire, options);
  if ("result" in first || !selectModern(offeredVersionsOf(first.error) ?? [])) return first;
  return await discover(wire, options);
}

async function discover(wire: StdioWire, options: ConnectStdioOptions): Promise<ProbeOutcome> {
  const { clientInfo = defaultClientInfo, capabilities = {}, probeTimeoutMs = 5_000 } = options;
  const requester = createRequester(wire);
  void wire.closed.then(requester.end);
  wire.onMessage = (message) => {
    if (!("method" in message)) requester.settle(message);
  };
  const { params } = toDiscoverRequest(clientInfo, capabilities);
  // An id that nobody else uses: an answer that comes late must fit nothing (C-13).
  const id = `probe-${crypto.randomUUID()}`;
  try {
    return { result: (await requester.requestWithin(probeTimeoutMs, method.discover, params, id)) as Result };
  } catch (error) {
    return { error };
  }
}

function toDiscoverRequest(clientInfo: Implementation, capabilities: ClientCapabilities) {
  return createRequestBuilder({ clientInfo, capabilities, revision: modernRevision }).build(method.discover, {});
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

function initialize(wire: StdioWire, options: ConnectStdioOptions): Promise<Connection> {
  return connectLegacy(wire, { ...options, clientInfo: options.clientInfo ?? defaultClientInfo });
}

function nothing(): undefined {
  return undefined;
}

interface Launcher {
  /** The command line. */
  readonly name: string;
  /** Names the server in a memory of verdicts: the same command may be another program in another folder (D.2/1). */
  readonly key: string;
  launch(): Promise<StdioWire>;
  /** Of the last that was launched. */
  stderrTail(): string;
  /** Stops whatever was launched, and what is launched from now on. */
  giveUp(): Promise<void>;
}

function createLauncher(target: SpawnTarget, options: ConnectStdioOptions): Launcher {
  const wires: StdioWire[] = [];
  const name = [target.command, ...(target.args ?? [])].join(" ");
  let isGivenUp = false;
  let last: ServerProcess | undefined;
  return {
    name,
    stderrTail: () => last?.stderrTail() ?? "",
    key: target.cwd === undefined ? name : `${name} (in ${target.cwd})`,
    async launch() {
      last = await spawnServer(target, options);
      const wire = createStdioWire(last, options);
      wires.push(wire);
      if (isGivenUp) await wire.close();
      return wire;
    },
    async giveUp() {
      isGivenUp = true;
      await Promise.all(wires.map((wire) => wire.close()));
    },
  };
}
