// Records a target over each transport that the probe finds. A legacy server is recorded before the full probe: if it accepts
// only one session, the probe must not use it up.
import { type ProbeOptions, type ProbeReport, probe } from "@lethe/probe";
import type { Command } from "../record/record-stdio.ts";
import type { Recording } from "../record/recording.ts";
import { type HttpTarget, type Target, toHttpTransports, toStdioTransports } from "./target-transports.ts";
import type { HttpTransport, Transport } from "./transport.ts";
import {
  toMissingSse,
  toReplacedBySse,
  toUnavailable,
  toUntriedSse,
  type UnavailableTransport,
} from "./unavailable-transport.ts";

export interface RecordTargetOptions {
  /** Records one transport. If the connection fails, the first step of the recording has failed. */
  record(transport: Transport): Promise<Recording>;
  /** Time for a server to answer the first request, in ms. */
  connectTimeoutMs: number;
  /** Time for a started command to answer its first request, in ms. */
  startTimeoutMs: number;
  /** Masked in all probe reports. */
  secrets?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
  /** Called before each probe. */
  onProbe?(address: string): void;
}

export interface RecordedTarget {
  readonly recordings: readonly Recording[];
  readonly unavailable: readonly UnavailableTransport[];
  readonly probes: readonly ProbeReport[];
}

export function recordTarget(target: Target, options: RecordTargetOptions): Promise<RecordedTarget> {
  return "url" in target ? recordAddress(target, options) : recordCommand(target, options);
}

/** Each process is a session of its own, so a command can be probed before it is recorded. */
async function recordCommand(target: Command, options: RecordTargetOptions): Promise<RecordedTarget> {
  const found = await runProbe(target, {}, options);
  const recordings: Recording[] = [];
  const unavailable: UnavailableTransport[] = [];
  for (const transport of toStdioTransports(target)) {
    if (isWorthTrying(found, transport.era)) recordings.push(await options.record(transport));
    else unavailable.push(toUnavailable(transport, found.eras[transport.era], found));
  }
  return { recordings, unavailable, probes: [found] };
}

async function recordAddress(target: HttpTarget, options: RecordTargetOptions): Promise<RecordedTarget> {
  const [modern, legacy, sse] = toHttpTransports(target);
  const preliminary = await runProbe(target, { sessions: false }, options);
  if (isHopeless(preliminary)) {
    const unavailable = [modern, legacy, sse].map((transport) =>
      toUnavailable(transport, preliminary.eras.modern, preliminary),
    );
    return { recordings: [], unavailable, probes: [preliminary] };
  }
  const recordedFirst = preliminary.eras.modern.isSpoken ? undefined : await options.record(legacy);
  const found = await runProbe(target, {}, options);
  const recordings: Recording[] = [];
  const unavailable: UnavailableTransport[] = [];
  if (isWorthTrying(found, "modern")) recordings.push(await options.record(modern));
  else unavailable.push(toUnavailable(modern, found.eras.modern, found));

  if (recordedFirst && isConnected(recordedFirst))
    recordings.push(isUsedUp(found) ? withRemark(recordedFirst, usedUp) : recordedFirst);
  else if (found.transport === "http-sse") unavailable.push(toReplacedBySse(legacy, found));
  else if (!isWorthTrying(found, "legacy")) unavailable.push(toUnavailable(legacy, found.eras.legacy, found));
  else recordings.push(recordedFirst ?? (await options.record(legacy)));

  const { transport, reports } = await findSse(target, sse, { found, options });
  if ("kind" in transport) recordings.push(await options.record(transport));
  else unavailable.push(transport);
  return { recordings, unavailable, probes: [found, ...reports] };
}

interface FindSseOptions {
  found: ProbeReport;
  options: RecordTargetOptions;
}

/** Looks for HTTP+SSE at the target's URL and at the neighbouring `/sse`, where servers with both transports place it. */
async function findSse(
  target: HttpTarget,
  transport: HttpTransport,
  { found, options }: FindSseOptions,
): Promise<{ transport: Transport | UnavailableTransport; reports: ProbeReport[] }> {
  if (found.transport === "http-sse") return { transport: { ...transport, url: target.url }, reports: [] };
  if (transport.url === target.url) return { transport: atSameUrl(transport, found), reports: [] };
  const neighbour = await runProbe({ ...target, url: transport.url }, { method: "capabilities" }, options);
  if (neighbour.transport === "http-sse") return { transport, reports: [neighbour] };
  // A server that accepts a POST at any path may still open a stream at this one.
  return { transport: neighbour.transport === undefined ? toMissingSse(transport, neighbour) : transport, reports: [] };
}

/** Where a POST is answered, a GET may open a stream of either transport: only a URL that ends in `/sse` is tried. */
function atSameUrl(transport: HttpTransport, found: ProbeReport): Transport | UnavailableTransport {
  if (found.transport === undefined) return toMissingSse(transport, found);
  return /\/sse\/?$/.test(new URL(transport.url).pathname) ? transport : toUntriedSse(transport);
}

const probeTimeoutMs = 5_000;

function runProbe(target: Target, extra: ProbeOptions, options: RecordTargetOptions): Promise<ProbeReport> {
  const { connectTimeoutMs, startTimeoutMs, secrets, signal, onProbe } = options;
  const limits = { timeoutMs: Math.min(connectTimeoutMs, probeTimeoutMs), startTimeoutMs };
  onProbe?.("url" in target ? toPlain(target.url) : target.command);
  return probe({ ...target, ...(secrets && { secrets }) }, { ...limits, ...extra, ...(signal && { signal }) });
}

/** Drops the query and credentials, which may be secret. */
function toPlain(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** If the probe reached the server but has no verdict on this era, only an attempt shows whether it works. */
function isWorthTrying({ eras, era: spoken }: ProbeReport, era: "modern" | "legacy"): boolean {
  return eras[era].isSpoken ?? spoken !== undefined;
}

/** True for problems that affect every transport. */
function isHopeless({ eras: { modern } }: ProbeReport): boolean {
  return ["unreachable", "redirect", "rate-limited"].includes(modern.problem?.reason ?? "");
}

/** True if the server accepts no further session after the recorded one. */
function isUsedUp({ eras: { legacy } }: ProbeReport): boolean {
  return legacy.contract === "single-tenant" || legacy.isSpoken !== true;
}

const usedUp =
  "the server accepted no further session after this recording; it may support only one and need a restart";

function withRemark(recording: Recording, remark: string): Recording {
  return { ...recording, remarks: [...recording.remarks, remark] };
}

function isConnected({ steps: [connecting] }: Recording): boolean {
  return connecting?.outcome === "done";
}
