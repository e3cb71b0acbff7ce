// A target's transports are those which the probe finds. A server that has only one session to give must not spend it on the probe:
// one of the older revisions is therefore recorded first and probed afterwards.
import { type ProbeOptions, type ProbeReport, probe } from "@lethe/probe";
import type { Command } from "../record/record-stdio.ts";
import type { Recording } from "../record/recording.ts";
import { type HttpTarget, type Target, toHttpTransports, toStdioTransports } from "./target-transports.ts";
import type { HttpTransport, Transport } from "./transport.ts";
import {
  toReplaced,
  toUnavailable,
  toUnopened,
  toUnsought,
  type UnavailableTransport,
} from "./unavailable-transport.ts";

export interface RecordTargetOptions {
  /** Records one transport; one that cannot be taken is a recording whose first step failed. */
  take(transport: Transport): Promise<Recording>;
  /** For a server to say that it is there, in ms. */
  connectTimeoutMs: number;
  /** How long a started command has for its first answer, in ms. */
  startTimeoutMs: number;
  /** No report of the probe shows them. */
  secrets?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
  /** Hears that the server is asked what it is. */
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

/** A process is a session, and there are as many as one starts. */
async function recordCommand(target: Command, options: RecordTargetOptions): Promise<RecordedTarget> {
  const found = await ask(target, {}, options);
  const recordings: Recording[] = [];
  const unavailable: UnavailableTransport[] = [];
  for (const transport of toStdioTransports(target)) {
    if (mayBeTaken(found, transport.era)) recordings.push(await options.take(transport));
    else unavailable.push(toUnavailable(transport, found.eras[transport.era], found));
  }
  return { recordings, unavailable, probes: [found] };
}

async function recordAddress(target: HttpTarget, options: RecordTargetOptions): Promise<RecordedTarget> {
  const [modern, legacy, sse] = toHttpTransports(target);
  const careful = await ask(target, { sessions: false }, options);
  if (isEnd(careful)) {
    const unavailable = [modern, legacy, sse].map((transport) =>
      toUnavailable(transport, careful.eras.modern, careful),
    );
    return { recordings: [], unavailable, probes: [careful] };
  }
  const early = careful.eras.modern.isSpoken ? undefined : await options.take(legacy);
  const found = await ask(target, {}, options);
  const recordings: Recording[] = [];
  const unavailable: UnavailableTransport[] = [];
  if (mayBeTaken(found, "modern")) recordings.push(await options.take(modern));
  else unavailable.push(toUnavailable(modern, found.eras.modern, found));

  if (early && isTaken(early)) recordings.push(isGivenUp(found) ? withRemark(early, usedUp) : early);
  else if (found.transport === "http-sse") unavailable.push(toReplaced(legacy, found));
  else if (!mayBeTaken(found, "legacy")) unavailable.push(toUnavailable(legacy, found.eras.legacy, found));
  else recordings.push(early ?? (await options.take(legacy)));

  const { transport, reports } = await findSse(target, sse, { found, options });
  if ("kind" in transport) recordings.push(await options.take(transport));
  else unavailable.push(transport);
  return { recordings, unavailable, probes: [found, ...reports] };
}

interface Sought {
  found: ProbeReport;
  options: RecordTargetOptions;
}

/** The older transport is at the address itself, or beside it: where servers of both put it. */
async function findSse(
  target: HttpTarget,
  transport: HttpTransport,
  { found, options }: Sought,
): Promise<{ transport: Transport | UnavailableTransport; reports: ProbeReport[] }> {
  if (found.transport === "http-sse") return { transport: { ...transport, url: target.url }, reports: [] };
  if (transport.url === target.url) return { transport: atItself(transport, found), reports: [] };
  const beside = await ask({ ...target, url: transport.url }, { method: "capabilities" }, options);
  if (beside.transport === "http-sse") return { transport, reports: [beside] };
  // A server that takes a POST at any path may still open a stream at this one.
  return { transport: beside.transport === undefined ? toUnopened(transport, beside) : transport, reports: [] };
}

/** Where a POST is answered, a GET may open the stream of either transport: only an address that says so is tried. */
function atItself(transport: HttpTransport, found: ProbeReport): Transport | UnavailableTransport {
  if (found.transport === undefined) return toUnopened(transport, found);
  return /\/sse\/?$/.test(new URL(transport.url).pathname) ? transport : toUnsought(transport);
}

const probeTimeoutMs = 5_000;

function ask(target: Target, how: ProbeOptions, options: RecordTargetOptions): Promise<ProbeReport> {
  const { connectTimeoutMs, startTimeoutMs, secrets, signal, onProbe } = options;
  const limits = { timeoutMs: Math.min(connectTimeoutMs, probeTimeoutMs), startTimeoutMs };
  onProbe?.("url" in target ? toPlain(target.url) : target.command);
  return probe({ ...target, ...(secrets && { secrets }) }, { ...limits, ...how, ...(signal && { signal }) });
}

/** Without what a terminal need not show. */
function toPlain(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Where the probe could not find out about one era of a server that is there, only trying shows it. */
function mayBeTaken({ eras, era: spoken }: ProbeReport, era: "modern" | "legacy"): boolean {
  return eras[era].isSpoken ?? spoken !== undefined;
}

/** Nobody would get further by another transport. */
function isEnd({ eras: { modern } }: ProbeReport): boolean {
  return ["unreachable", "redirect", "rate-limited"].includes(modern.problem?.reason ?? "");
}

/** After a session was recorded, none is to be had any more. */
function isGivenUp({ eras: { legacy } }: ProbeReport): boolean {
  return legacy.contract === "single-tenant" || legacy.isSpoken !== true;
}

const usedUp =
  "afterwards the server gave out no other session: it seems to have one only, and may have to be started again";

function withRemark(recording: Recording, remark: string): Recording {
  return { ...recording, remarks: [...recording.remarks, remark] };
}

function isTaken({ steps: [connecting] }: Recording): boolean {
  return connecting?.outcome === "done";
}
