// The record of a finished request: caller, target, upstream, duration and outcome.
import {
  type Exchange,
  isJsonObject,
  isMcpError,
  type Middleware,
  type ModernRequest,
  method,
  publicTargetOf,
  type Result,
} from "@lethe/protocol";
import { isReplicaError, type ReplicaFailure } from "@lethe/server/stores";
import { type CallTrace, setTrace } from "../calls/call-trace.ts";
import { recordedHeaders } from "../calls/recorded-headers.ts";
import type { StepRecorder } from "../calls/step-recorder.ts";
import { toRequestFailure } from "./failure-reason.ts";

export interface RequestRecord extends CallTrace {
  /** When the request arrived. A Date, because most records are never formatted. */
  time: Date;
  /** The path of the endpoint. */
  endpoint: string;
  method: string;
  /** The tool, prompt or resource, as the caller named it. Never an argument. */
  name?: string;
  /** The upstream, if the target is known. */
  upstream?: string;
  /** The id of the authenticated caller. */
  caller?: string;
  /** The duration. For a subscription, how long it lasted. */
  ms: number;
  /**
   * The result's `resultType`, "tool_error" for a tool's own error, "rejected" if the gateway did not let the request through, or "error".
   */
  outcome: string;
  /** The JSON-RPC error code. */
  code?: number;
  /** Why the request was rejected or failed: `data.reason` of its error, or a word for its code. */
  reason?: string;
  /** Details of a failure between the gateway and the upstream, without content of the upstream's response. */
  detail?: string;
  /** Why it failed at another replica, or because the owner of its session is unknown. */
  replicaFailure?: ReplicaFailure;
}

export interface Bodies {
  params: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** What is recorded of a request for administrators, besides its record. */
export interface Recording {
  /** Absent while no administrator watches. */
  readonly steps?: StepRecorder | undefined;
  /** Whether params and result are kept. */
  readonly keepsBodies: boolean;
}

export interface WatchOptions {
  endpoint: string;
  upstreamOf(method: string, name: string | undefined): string | undefined;
  /** Must not throw. `recorded` is undefined for a request that is counted, and not shown to administrators. */
  onDone(record: RequestRecord, recorded: Recorded | undefined): void;
  /** Called for each request, with its upstream. Returns undefined for a request that is not shown. */
  record(upstream: string | undefined): Recording | undefined;
}

export interface Recorded {
  readonly steps: StepRecorder | undefined;
  readonly bodies: Bodies | undefined;
}

const maxNameLength = 256;

export function watchRequests(options: WatchOptions): Middleware {
  /** Retains the record and not the request, which a subscription would otherwise keep alive. */
  async function finish(running: Promise<Result>, watched: Watched): Promise<Result> {
    const { record, recorded, startedAt } = watched;
    const bodies = recorded?.bodies;
    try {
      const result = await running;
      record.outcome = result.isError === true ? "tool_error" : result.resultType;
      if (bodies) bodies.result = result;
      const { outcome: label, steps } = record;
      const kind = label === "input_required" ? "input" : "response";
      steps?.add({ from: steps.self, to: "caller", kind, label }, result);
      return result;
    } catch (error) {
      noteFailure(record, error);
      const label = error instanceof Error ? error.message : "error";
      record.steps?.add({ from: record.steps.self, to: "caller", kind: "error", label });
      if (bodies && isMcpError(error)) bodies.error = { code: error.code, message: error.message, data: error.data };
      throw error;
    } finally {
      record.ms = Math.round((performance.now() - startedAt) * 1_000) / 1_000;
      options.onDone(record, recorded);
    }
  }

  return (next) => (request, exchange) => {
    const record = beginRecord(request, exchange.caller?.id, options);
    const startedAt = performance.now();
    const recorded = toRecorded(options.record(record.upstream), request);
    if (recorded?.steps) recordBegin(record, recorded.steps, { request, exchange });
    setTrace(request, record);
    return finish(next(request, exchange), { record, recorded, startedAt });
  };
}

function toRecorded(recording: Recording | undefined, request: ModernRequest): Recorded | undefined {
  if (!recording) return undefined;
  const { steps, keepsBodies } = recording;
  const isKept = keepsBodies && request.method !== method.listen;
  return { steps, bodies: isKept ? { params: request.params } : undefined };
}

function recordBegin(
  record: RequestRecord,
  steps: StepRecorder,
  { request: { method: requested, params, prefersSession }, exchange }: { request: ModernRequest; exchange: Exchange },
): void {
  record.steps = steps;
  const headers = exchange.headers && recordedHeaders(exchange.headers);
  const isRetry = params.requestState !== undefined;
  const label = `${requested}${record.name === undefined ? "" : ` ${record.name}`}${isRetry ? ", with its answers" : ""}`;
  const kind = isRetry ? "answer" : "request";
  // The edges of older revisions set `prefersSession`, and convert the message.
  const era = prefersSession ? "legacy" : "modern";
  steps.add({ from: "caller", to: steps.self, kind, label, method: record.method, era, headers }, params);
}

function noteFailure(record: RequestRecord, error: unknown): void {
  const { outcome, reason } = toRequestFailure(error);
  record.code = isMcpError(error) ? error.code : -32603;
  record.outcome = outcome;
  record.reason = bounded(reason);
  if (!isMcpError(error) || !isJsonObject(error.data) || error.data.reason !== reason) return;
  if (!(error.cause instanceof Error)) return;
  if (isReplicaError(error.cause)) record.replicaFailure = error.cause.reason;
  const seen = error.cause.message;
  // An invalid response may still contain parts of a valid one.
  record.detail = bounded(record.reason === "invalid" ? seen.replaceAll(quotation, '"…"') : seen);
}

const quotation = /"(?:[^"\\]|\\.)*"?/gs;

interface Watched {
  record: RequestRecord;
  recorded: Recorded | undefined;
  startedAt: number;
}

function beginRecord(request: ModernRequest, caller: string | undefined, options: WatchOptions): RequestRecord {
  const { endpoint, upstreamOf } = options;
  const name = publicTargetOf(request.method, request.params);
  const upstream = upstreamOf(request.method, name);
  const method = bounded(request.method);
  const record: RequestRecord = { time: new Date(), endpoint, method, ms: 0, outcome: "error" };
  if (name !== undefined) record.name = bounded(name);
  if (upstream !== undefined) record.upstream = upstream;
  if (caller !== undefined) record.caller = caller;
  return record;
}

function bounded(text: string): string {
  // Copies the text: a slice would keep the whole text, up to 1 MB, in memory.
  return text.length > maxNameLength ? [text.slice(0, maxNameLength), "…"].join("") : text;
}
