// probe(): says what a server is, with evidence. The procedure is in behaviour/, the words are in verdict/.
import { isTransportError } from "@lethe/client";
import type { Era } from "@lethe/protocol";
import { cleanUp } from "./behaviour/clean-up.ts";
import { type Findings, type Leftover, legacyUnknown } from "./behaviour/findings.ts";
import { probeHttp } from "./behaviour/probe-http.ts";
import { probeStdio } from "./behaviour/probe-stdio.ts";
import type { Problem } from "./behaviour/problem.ts";
import { tryReplica } from "./behaviour/replicas.ts";
import { createHttpLab, type HttpLab } from "./exchange/http-lab.ts";
import { BudgetSpent, createRecorder, type Recorder } from "./exchange/recorder.ts";
import { hintFromCapabilities } from "./hints/capabilities.ts";
import { signsOfKeptState } from "./hints/kept-state.ts";
import { hintFromMetadata } from "./hints/metadata.ts";
import type { ProbeReport } from "./report/report.ts";
import { toReport, toStatedReport } from "./report/to-report.ts";
import { createMask, type Mask } from "./target/mask.ts";
import { type CommandTarget, type HttpTarget, isHttpTarget, type ProbeTarget, parseAddress } from "./target/target.ts";
import { infoOf } from "./verdict/features.ts";

/**
 * auto: the owner's statement when there is one, else everything, with the verdict by behaviour. behaviour: no hints.
 * capabilities, metadata: that guess alone, after nothing but the handshakes.
 */
export type ProbeMethod = "auto" | "behaviour" | "capabilities" | "metadata";

export interface ProbeOptions {
  /** Default "auto". */
  method?: ProbeMethod;
  /** Asks for this era alone; the other stays unknown. Default "auto". */
  era?: Era | "auto";
  /** For each request, in milliseconds. Default 5,000. */
  timeoutMs?: number;
  /** For the first answer of a process, which may have to be downloaded, in milliseconds. Default 60,000. */
  startTimeoutMs?: number;
  /**
   * False asks nothing that a server would begin a session for, in case that it has only one to give: the legacy era stays
   * unknown. Of a command every session is a process of its own. Default true.
   */
  sessions?: boolean;
  /** Requests in all, clean-up included. Default 16; each replica may add 8. */
  maxRequests?: number;
  /** Other addresses of the same server: does what began at the target go on there? */
  replicas?: readonly string[];
  /** For a command: does what began in one process go on in the next? */
  restart?: boolean;
  /** Ends the probe; sessions are still cleaned up. */
  signal?: AbortSignal;
  /** Hears what is asked next. */
  onProgress?(what: string): void;
}

const requestsPerReplica = 8;

/**
 * Never calls a tool. Whatever the server does or does not do ends in a report; rejects with the signal's reason, and with an
 * Error for a target that is none.
 */
export async function probe(target: ProbeTarget, options: ProbeOptions = {}): Promise<ProbeReport> {
  const { method = "auto", maxRequests = 16, replicas = [], onProgress } = options;
  const mask = createMask(target);
  if (method === "auto" && target.stated) return toStatedReport(target, target.stated, mask);
  const recorder = createRecorder({ maxRequests: maxRequests + requestsPerReplica * replicas.length, onProgress });
  const context: Context = {
    ...options,
    recorder,
    mask,
    isShallow: method === "capabilities" || method === "metadata",
  };
  const startedAt = performance.now();
  const findings = isHttpTarget(target) ? await runHttp(target, context) : await runCommand(target, context);
  const ms = performance.now() - startedAt;
  const all = [hintFromMetadata(target, infoOf(findings)), hintFromCapabilities(findings)];
  const hints = all.filter((hint) => method === "auto" || hint.method === method);
  const only = context.isShallow ? hints[0] : undefined;
  const { tools } = findings.listing ?? {};
  const keptState = method === "auto" && Array.isArray(tools) ? signsOfKeptState(tools) : [];
  return toReport({ target, findings, hints, keptState, only, exchanges: recorder.exchanges, mask, ms });
}

interface Context extends ProbeOptions {
  recorder: Recorder;
  mask: Mask;
  isShallow: boolean;
}

async function runHttp(target: HttpTarget, context: Context): Promise<Findings> {
  const { isShallow, replicas = [], era, sessions: asksLegacy = era !== "modern" } = context;
  const home = toLab(target.url, target, context);
  const others = replicas.map((url) => toLab(url, target, context));
  const leftovers: Leftover[] = [];
  try {
    const findings = await probeHttp(home, { isShallow, asksLegacy, asksModern: era !== "legacy" });
    const instances = [];
    for (const other of isShallow ? [] : others)
      instances.push(...(await tryReplica(home, other, findings).catch(orNothing)));
    return { ...findings, instances, leftovers };
  } finally {
    for (const lab of [home, ...others]) leftovers.push(...(await cleanUp(lab).catch(orNothing)));
  }
}

function toLab(url: string, { headers }: HttpTarget, { recorder, mask, timeoutMs = 5_000, signal }: Context): HttpLab {
  const onSession = (id: string) => mask.add(id, 4);
  return createHttpLab(parseAddress(url), { recorder, headers, timeoutMs, signal, onSession });
}

/** A server that led us in circles leaves questions open; what is known already stays true. */
function orNothing(error: unknown): never[] {
  if (error instanceof BudgetSpent) return [];
  throw error;
}

async function runCommand(target: CommandTarget, context: Context): Promise<Findings> {
  const { timeoutMs = 5_000, startTimeoutMs = Math.max(60_000, timeoutMs), restart: isRestarted = false } = context;
  try {
    const findings = await probeStdio(target, {
      ...context,
      era: context.era ?? "auto",
      timeoutMs,
      startTimeoutMs,
      isRestarted,
    });
    return { ...findings, leftovers: [] };
  } catch (error) {
    if (!isTransportError(error)) throw error;
    const advice = "see whether the command is installed and spelled right";
    return toUnknown({ reason: "unreachable", message: error.message, advice });
  }
}

function toUnknown(problem: Problem): Findings {
  const modern = { isSpoken: undefined, revisions: [], reasons: [], problem };
  const empty = { instances: [], leftovers: [], remarks: [] };
  return { transport: undefined, modern, legacy: legacyUnknown(problem), ...empty };
}
