// A target's ways are those which the probe finds. A server that has only one session to give must not spend it on the probe:
// one of the older revisions is therefore recorded first and probed afterwards.
import { type ProbeOptions, type ProbeReport, probe } from "@lethe/probe";
import type { Command } from "../record/record-stdio.ts";
import type { Recording } from "../record/recording.ts";
import { type AbsentWay, toAbsent, toReplaced, toUnopened, toUnsought } from "./absent-way.ts";
import { type HttpTarget, type Target, toHttpWays, toStdioWays } from "./target-ways.ts";
import type { HttpWay, Way } from "./way.ts";

export interface RecordTargetOptions {
  /** Records one way; one that cannot be taken is a recording whose first step failed. */
  take(way: Way): Promise<Recording>;
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
  readonly absent: readonly AbsentWay[];
  readonly probes: readonly ProbeReport[];
}

export function recordTarget(target: Target, options: RecordTargetOptions): Promise<RecordedTarget> {
  return "url" in target ? recordAddress(target, options) : recordCommand(target, options);
}

/** A process is a session, and there are as many as one starts. */
async function recordCommand(target: Command, options: RecordTargetOptions): Promise<RecordedTarget> {
  const found = await ask(target, {}, options);
  const recordings: Recording[] = [];
  const absent: AbsentWay[] = [];
  for (const way of toStdioWays(target)) {
    if (mayBeTaken(found, way.era)) recordings.push(await options.take(way));
    else absent.push(toAbsent(way, found.eras[way.era], found));
  }
  return { recordings, absent, probes: [found] };
}

async function recordAddress(target: HttpTarget, options: RecordTargetOptions): Promise<RecordedTarget> {
  const [modern, legacy, sse] = toHttpWays(target);
  const careful = await ask(target, { sessions: false }, options);
  if (isEnd(careful)) {
    const absent = [modern, legacy, sse].map((way) => toAbsent(way, careful.eras.modern, careful));
    return { recordings: [], absent, probes: [careful] };
  }
  const early = careful.eras.modern.isSpoken ? undefined : await options.take(legacy);
  const found = await ask(target, {}, options);
  const recordings: Recording[] = [];
  const absent: AbsentWay[] = [];
  if (mayBeTaken(found, "modern")) recordings.push(await options.take(modern));
  else absent.push(toAbsent(modern, found.eras.modern, found));

  if (early && isTaken(early)) recordings.push(isGivenUp(found) ? withRemark(early, usedUp) : early);
  else if (found.transport === "http+sse") absent.push(toReplaced(legacy, found));
  else if (!mayBeTaken(found, "legacy")) absent.push(toAbsent(legacy, found.eras.legacy, found));
  else recordings.push(early ?? (await options.take(legacy)));

  const { way, reports } = await findSse(target, sse, { found, options });
  if ("kind" in way) recordings.push(await options.take(way));
  else absent.push(way);
  return { recordings, absent, probes: [found, ...reports] };
}

interface Sought {
  found: ProbeReport;
  options: RecordTargetOptions;
}

/** The older transport is at the address itself, or beside it: where servers of both put it. */
async function findSse(
  target: HttpTarget,
  way: HttpWay,
  { found, options }: Sought,
): Promise<{ way: Way | AbsentWay; reports: ProbeReport[] }> {
  if (found.transport === "http+sse") return { way: { ...way, url: target.url }, reports: [] };
  if (way.url === target.url) return { way: atItself(way, found), reports: [] };
  const beside = await ask({ ...target, url: way.url }, { method: "capabilities" }, options);
  if (beside.transport === "http+sse") return { way, reports: [beside] };
  // A server that takes a POST at any path may still open a stream at this one.
  return { way: beside.transport === undefined ? toUnopened(way, beside) : way, reports: [] };
}

/** Where a POST is answered, a GET may open the stream of either transport: only an address that says so is tried. */
function atItself(way: HttpWay, found: ProbeReport): Way | AbsentWay {
  if (found.transport === undefined) return toUnopened(way, found);
  return /\/sse\/?$/.test(new URL(way.url).pathname) ? way : toUnsought(way);
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

/** Nobody would get further by another way. */
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
