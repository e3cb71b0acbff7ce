// probe(): detects the eras, transport and sessions of a server. behaviour/ has the procedure, verdict/ the verdicts.

import { isTransportError } from "@lethe/client";
import { checkOptions, type Era, type KnownOptions } from "@lethe/protocol";
import { cleanUp } from "./behaviour/clean-up.ts";
import { type Findings, type Leftover, legacyUnknown } from "./behaviour/findings.ts";
import { probeHttp } from "./behaviour/probe-http.ts";
import { probeStdio } from "./behaviour/probe-stdio.ts";
import type { Problem } from "./behaviour/problem.ts";
import { tryReplica } from "./behaviour/replicas.ts";
import { createHttpTransport, type HttpTransport } from "./exchange/http-transport.ts";
import { BudgetSpent, createRecorder, type Recorder } from "./exchange/recorder.ts";
import { hintFromCapabilities } from "./hints/capabilities.ts";
import { signsOfKeptState } from "./hints/kept-state.ts";
import { hintFromMetadata } from "./hints/metadata.ts";
import type { ProbeReport } from "./report/report.ts";
import { toReport, toStatedReport } from "./report/to-report.ts";
import { createMask, type Mask } from "./target/mask.ts";
import {
  type CommandTarget,
  type HttpTarget,
  isHttpTarget,
  knownProbeTarget,
  type ProbeTarget,
  parseAddress,
} from "./target/target.ts";
import { infoOf } from "./verdict/features.ts";

/**
 * - `auto`: the operator's statement if there is one, otherwise behaviour with both hints.
 * - `behaviour`: behaviour without hints.
 * - `capabilities`, `metadata`: that hint alone, after the handshakes.
 */
export type ProbeMethod = "auto" | "behaviour" | "capabilities" | "metadata";

/** Options of `probe`. Times are in ms. */
export interface ProbeOptions {
  /** Default "auto". */
  method?: ProbeMethod;
  /** Probes this era only. The other one stays unknown. Default "auto": both. */
  era?: Era | "auto";
  /** Time limit of each request, in ms. Default 5,000. */
  timeoutMs?: number;
  /** Time limit of the first answer of a process, which may have to be downloaded, in ms. Default 60,000. */
  startTimeoutMs?: number;
  /**
   * False sends no request that starts a session, for servers that may have only one. The legacy era stays unknown then.
   * Ignored for a command, whose sessions are processes. Default true.
   */
  sessions?: boolean;
  /** Maximum number of requests, clean-up included. Default 16. Each replica adds 8. */
  maxRequests?: number;
  /** Other addresses of the same server. The probe tests whether a session of the target continues there. */
  replicas?: readonly string[];
  /** For a command: tests whether a session continues in a new process. Default false. */
  restart?: boolean;
  /** Aborts the probe. It still ends its sessions. */
  signal?: AbortSignal;
  /** Receives a description of each request before it is sent. */
  onProgress?(what: string): void;
}

const knownProbeOptions: KnownOptions<ProbeOptions> = {
  method: true,
  era: true,
  timeoutMs: true,
  startTimeoutMs: true,
  sessions: true,
  maxRequests: true,
  replicas: true,
  restart: true,
  signal: true,
  onProgress: true,
};

const requestsPerReplica = 8;

/**
 * Probes a server and returns a report, also for a server that fails or does not answer. Calls no tool. Rejects with the
 * reason of an aborted signal, and with an Error for an invalid target.
 */
export async function probe(target: ProbeTarget, options: ProbeOptions = {}): Promise<ProbeReport> {
  checkOptions("probe", options, knownProbeOptions);
  checkOptions<ProbeTarget>("probe: target", target, knownProbeTarget);
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
  const home = toTransport(target.url, target, context);
  const others = replicas.map((url) => toTransport(url, target, context));
  const leftovers: Leftover[] = [];
  try {
    const findings = await probeHttp(home, { isShallow, asksLegacy, asksModern: era !== "legacy" });
    const instances = [];
    for (const other of isShallow ? [] : others)
      instances.push(...(await tryReplica(home, other, findings).catch(orNothing)));
    return { ...findings, instances, leftovers };
  } finally {
    for (const transport of [home, ...others]) leftovers.push(...(await cleanUp(transport).catch(orNothing)));
  }
}

function toTransport(
  url: string,
  { headers }: HttpTarget,
  { recorder, mask, timeoutMs = 5_000, signal }: Context,
): HttpTransport {
  const onSession = (id: string) => mask.add(id, 4);
  return createHttpTransport(parseAddress(url), { recorder, headers, timeoutMs, signal, onSession });
}

/** A server that used up the requests leaves facts open. Known facts stay valid. */
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
    const advice = "check that the command is installed and spelled correctly";
    return toUnknown({ reason: "unreachable", message: error.message, advice });
  }
}

function toUnknown(problem: Problem): Findings {
  const modern = { isSpoken: undefined, revisions: [], reasons: [], problem };
  const empty = { instances: [], leftovers: [], remarks: [] };
  return { transport: undefined, modern, legacy: legacyUnknown(problem), ...empty };
}
