// The result of `compare`, and the format of `--json`: recordings made with the same script.
import type { ProbeReport } from "@lethe/probe";
import type { Environment } from "@lethe/probe/html";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { Recording } from "../record/recording.ts";
import type { UnavailableTransport } from "./unavailable-transport.ts";

/** The recordings of one comparison. `toReport` evaluates them. */
export interface Comparison {
  readonly version: 1;
  readonly script: string;
  /** In the order of the report. A recording whose connect step failed is an unavailable transport. */
  readonly recordings: readonly Recording[];
  /** Transports that the probe found to be unavailable. */
  readonly unavailable?: readonly UnavailableTransport[];
  /** Where the times were measured. */
  readonly environment?: Environment;
  /** Runs of the script over each transport. Default 1. */
  readonly runs?: number;
  /** Probe reports of the target and, if it was probed, of the neighbouring HTTP+SSE URL. */
  readonly probes?: readonly ProbeReport[];
}

/** Accepts a comparison or a single recording, and throws an Error for anything else. */
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

/** Checks the version and those members without which a report would fail. */
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
