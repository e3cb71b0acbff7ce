// All meanings that a URI may have for the server that receives it. A rule about URIs checks each of these readings.
import { decodeHarmless, type UriStep, uriSteps } from "./uri-steps.ts";

export interface Reading {
  readonly text: string;
  /** The steps that lead from the URI to this text. */
  readonly how: readonly UriStep[];
}

export interface Readings {
  /** At least one. The first is the URI as written. */
  readonly all: readonly Reading[];
  /** False: a server may read the URI in more ways than `all` lists, so no rule may allow it because of its text. */
  readonly isClear: boolean;
}

/** A template may have an expression where a URI has a host; a pattern is read as far as possible. */
export type UriKind = "resource" | "template" | "pattern";

/** In UTF-16 units. With `maxReadings` it bounds the work for one URI. */
const maxLength = 8_192;
const maxReadings = 64;

export function readingsOf(uri: string, kind: UriKind = "resource"): Readings {
  if (isPlain(uri)) return { all: [{ text: uri, how: [] }], isClear: true };
  const written = uri.length <= maxLength ? take(decodeHarmless, uri) : undefined;
  if (written === undefined) return { all: [{ text: uri, how: [] }], isClear: false };
  const all: Reading[] = [{ text: written, how: [] }];
  const seen = new Set(all.map(({ text }) => text));
  let isClear = true;
  // The list grows while the loop reads it.
  for (const { text, how } of all) {
    if (isPlain(text)) continue;
    if (!isReadable(text, kind)) isClear = false;
    for (const step of uriSteps) {
      if (!isClear && kind !== "pattern") return { all, isClear };
      const next = take(step, text);
      if (next === undefined) isClear = false;
      if (next === undefined || seen.has(next)) continue;
      if (all.length === maxReadings) return { all, isClear: false };
      seen.add(next);
      all.push({ text: next, how: [...how, step] });
    }
  }
  return { all, isClear };
}

/** Remembers the last URI, because one request asks several rules about it. */
export function createUriReader(): typeof readingsOf {
  let last: { uri: string; kind: UriKind; readings: Readings } | undefined;
  return (uri, kind = "resource") => {
    if (last?.uri !== uri || last.kind !== kind) last = { uri, kind, readings: readingsOf(uri, kind) };
    return last.readings;
  };
}

/** Applies one step. Undefined: the result has no safe reading. */
export function take(step: UriStep, text: string): string | undefined {
  const next = step(text);
  return next === undefined || next.length > maxLength || manyMarks.test(next) ? undefined : settle(next);
}

/** Normalization takes quadratic time for long runs of combining marks; no more than 30 is the bound of UAX #15, section 13. */
const manyMarks = /\p{M}{31}/u;

/** Only characters that no step changes. Schemes of the web are left out: their hosts have several spellings. */
const onlyPlain = /^(?!https?:|wss?:|ftp:|file:(?!\/{3}[^/]))[a-z][a-z\d+.-]+:(\/*)[\w\-.~!&'()*,;=:@/]*$/;

/** True for a text that is its own only reading. Most URIs are. */
function isPlain(text: string): boolean {
  if (text.length > maxLength) return false;
  const slashes = onlyPlain.exec(text)?.[1];
  return (
    slashes !== undefined && !text.includes("//", text.indexOf(":") + 1 + slashes.length) && !/\.(?:\/|$)/.test(text)
  );
}

/** One spelling for scheme and host, for canonically equivalent text, and for a file of the server's own machine (RFC 8089). */
function settle(text: string): string {
  return text
    .replace(/^[a-z][a-z\d+.-]*:/i, (scheme) => scheme.toLowerCase())
    .normalize("NFC")
    .replace(/^(?:https?|wss?|ftp):\/\/[^/?#\\]*/, toOrigin)
    .replace(/^file:\/\/localhost(?=\/|$)/i, "file://")
    .replace(/^file:\/\/(?=[a-z][:|](?:\/|$))/i, "file:///")
    .replace(/^file:\/(?!\/)/, "file:///");
}

/** Of the web: the host in its normal form, without a port that the scheme implies. */
function toOrigin(text: string): string {
  return URL.canParse(text) ? new URL(text).href.slice(0, -1) : text.toLowerCase();
}

const unreadable = /[\p{Cc}\p{Cs}\uFDD0-\uFDEF\uFFFE\uFFFF]/u;
/** Relative to a folder that only the server knows, or on another machine. */
const elsewhere = /^file:(?!\/{3})/;
const expressionFirst = /^file:\/{0,2}\{/;

function isReadable(text: string, kind: UriKind): boolean {
  if (unreadable.test(text)) return false;
  return !elsewhere.test(text) || (kind === "template" && expressionFirst.test(text));
}
