// The result of `compare` and what `--json` writes: recordings that were made with the same script.

import type { ProbeReport } from "@lethe/probe";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { Recording } from "../record/recording.ts";
import type { UnavailableTransport } from "./unavailable-transport.ts";

export interface Comparison {
  readonly version: 1;
  readonly script: string;
  /** In the order of the report. One whose connect step failed is a transport that the server does not have. */
  readonly recordings: readonly Recording[];
  /** Of a target: the transports that it does not have, by the probe's word. */
  readonly unavailable?: readonly UnavailableTransport[];
  /** What the probe found at the target, and at the address beside it where the older transport may be. */
  readonly probes?: readonly ProbeReport[];
}

/** Accepts a comparison or a single recording. Throws an Error for anything else. */
export function parseComparison(value: unknown): Comparison {
  if (isJsonObject(value) && value.version === 1) {
    if (
      isListOf(isRecording, value.recordings) &&
      isListOf(isJsonObject, value.unavailable ?? []) &&
      isListOf(isJsonObject, value.probes ?? [])
    )
      return value as unknown as Comparison;
    if (isRecording(value)) return { version: 1, script: "", recordings: [value] };
  }
  throw new Error("expected a comparison or a recording of version 1");
}

/** Our own format, told by its version: what is looked at is what a report would stumble over. */
function isRecording(value: unknown): value is Recording {
  if (!isJsonObject(value) || value.version !== 1 || !isText(value.id, value.title, value.endpoint)) return false;
  const { exchanges, lines, steps, remarks } = value;
  return (
    isListOf(isExchange, exchanges) && isListOf(isLine, lines) && isListOf(isStep, steps) && isListOf(isText, remarks)
  );
}

function isExchange(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { request, response } = value;
  return (
    isMessage(request) && isText((request as JsonObject).target) && (response === undefined || isMessage(response))
  );
}

function isMessage(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    isText(value.body) &&
    isListOf(isHeader, value.headers) &&
    isListOf(isEvent, value.events ?? [])
  );
}

const isHeader = (value: unknown): boolean => Array.isArray(value) && isText(...value);
const isEvent = (value: unknown): boolean => isJsonObject(value) && isText(value.event, value.data);
const isLine = (value: unknown): boolean => isJsonObject(value) && isText(value.sender, value.text);
const isStep = (value: unknown): boolean => isJsonObject(value) && isText(value.name, value.outcome, value.detail);

function isText(...values: unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

function isListOf(is: (item: unknown) => boolean, value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => is(item));
}
