// Records one run of a script over one transport, with a recorder between client and server.
import type { Client } from "@lethe/client";
import { secretsOf } from "@lethe/probe";
import { type Clock, createClock } from "../record/clock.ts";
import { maskRecording } from "../record/mask.ts";
import { type HttpRecorder, recordHttp } from "../record/record-http.ts";
import { type Command, recordStdio } from "../record/record-stdio.ts";
import type { Recording, StdioLine, StepRecord } from "../record/recording.ts";
import { runScript } from "../script/run-script.ts";
import type { Plan } from "../script/script.ts";
import { runSurvey } from "../script/survey.ts";
import {
  connectHttpTransport,
  connectStdioTransport,
  type HttpTransport,
  type StdioTransport,
  type Transport,
} from "./transport.ts";

export interface RecordTransportOptions {
  script: Plan;
  /** Time for each step. Default 10,000 ms. */
  timeoutMs?: number;
  /** Time for a server to answer the first request. Default 10,000 ms. */
  connectTimeoutMs?: number;
  /** Time for a started command to answer its first request. Default `connectTimeoutMs`, else 60,000 ms. */
  startTimeoutMs?: number;
  /** Time to wait for a notification that may follow its result. Default 1,000 ms. */
  settleMs?: number;
  /** Masked in the recording, in addition to the header and environment values of the transport. */
  secrets?: readonly string[];
  signal?: AbortSignal | undefined;
}

/** `npx` and `docker run` may download a command before they start it. */
export function startTimeoutOf({
  connectTimeoutMs,
  startTimeoutMs = connectTimeoutMs ?? 60_000,
}: Partial<RecordTransportOptions>): number {
  return startTimeoutMs;
}

/** If the first step, "connect", of the recording failed, the transport is unavailable. */
export function recordTransport(transport: Transport, options: RecordTransportOptions): Promise<Recording> {
  return transport.kind !== "stdio"
    ? recordHttpTransport(transport, options)
    : recordStdioTransport(transport, options);
}

async function recordHttpTransport(transport: HttpTransport, options: RecordTransportOptions): Promise<Recording> {
  const clock = createClock();
  const address = new URL(transport.url);
  const recorder = await recordHttp({ to: address, now: clock.now });
  const visible = { ...transport, url: recorder.origin + address.pathname + address.search };
  // Closing the recorder ends every pending request.
  const abort = () => void recorder.close();
  options.signal?.addEventListener("abort", abort);
  const run = await connectAndRun(options, clock, (limits) => connectHttpTransport(visible, limits)).finally(() => {
    options.signal?.removeEventListener("abort", abort);
    return recorder.close();
  });
  const renamed = rename(run, recorder.origin, address.origin);
  const secrets = secretsOf({ ...transport, secrets: options.secrets ?? [] });
  const headers = Object.keys(transport.headers ?? {});
  return maskRecording(
    { ...toRecording(transport, clock, renamed), ...httpParts(recorder, renamed) },
    { secrets, headers },
  );
}

function httpParts(
  { exchanges, remarks, unreachable }: HttpRecorder,
  { steps, warnings }: Run,
): Pick<Recording, "exchanges" | "remarks" | "steps"> {
  // The client saw the recorder close the connection. Only the recorder knows the reason.
  const [connecting] = steps;
  const isFailed = unreachable !== undefined && connecting?.outcome === "failed";
  return {
    exchanges,
    remarks: [...remarks, ...warnings],
    steps: isFailed ? [{ ...connecting, detail: unreachable }, ...steps.slice(1)] : steps,
  };
}

async function recordStdioTransport(transport: StdioTransport, options: RecordTransportOptions): Promise<Recording> {
  const clock = createClock();
  const recorder = await recordStdio(transport.target, clock.zero);
  let lines: StdioLine[] = [];
  let run: Run;
  try {
    run = await connectAndRun(options, clock, (limits) =>
      connectStdioTransport(recorder.command, transport.era, limits),
    );
  } finally {
    lines = await recorder.finish();
  }
  const renamed = rename(run, `${recorder.prefix} `, "");
  const secrets = secretsOf({ ...transport.target, secrets: options.secrets ?? [] });
  return maskRecording(
    { ...toRecording(transport, clock, renamed), lines, remarks: [teeRemark, ...renamed.warnings] },
    { secrets },
  );
}

/** Replaces the recorder's URL or command with the server's: the reader asks about the server. */
function rename(run: Run, recorder: string, server: string): Run {
  return {
    ...run,
    steps: run.steps.map((step) => ({ ...step, detail: step.detail.replaceAll(recorder, server) })),
    warnings: run.warnings.map((warning) => warning.replaceAll(recorder, server)),
  };
}

const teeRemark = "the recorder is a separate process; the time to the first result includes its start";

interface Run {
  readonly steps: readonly StepRecord[];
  readonly revision: string | undefined;
  readonly warnings: readonly string[];
  readonly endedAt: number;
}

type ConnectLimits = Parameters<typeof connectHttpTransport>[1];

async function connectAndRun(
  options: RecordTransportOptions,
  { now }: Clock,
  connect: (limits: ConnectLimits) => Promise<Client>,
): Promise<Run> {
  const { script, timeoutMs = 10_000, connectTimeoutMs = 10_000, settleMs = 1_000, signal } = options;
  const warnings = new Set<string>();
  const connecting: StepRecord = { name: "connect", startedAt: now(), endedAt: 0, outcome: "failed", detail: "" };
  const steps = [connecting];
  let revision: string | undefined;
  try {
    const isMinimal = "kind" in script && script.kind === "minimal";
    const onWarning = (message: string) => void warnings.add(message);
    const client = await connect({
      connectTimeoutMs,
      startTimeoutMs: startTimeoutOf(options),
      onWarning,
      isMinimal,
      signal,
    });
    // Closing the connection ends a pending call.
    const abort = () => void client.close();
    signal?.addEventListener("abort", abort);
    revision = client.connection.revision;
    Object.assign(connecting, { endedAt: now(), outcome: "done", detail: `revision ${revision}` });
    try {
      const limits = { now, timeoutMs, settleMs, signal };
      steps.push(...(await ("kind" in script ? runSurvey(client, script, limits) : runScript(client, script, limits))));
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener("abort", abort);
      await client.close();
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (connecting.outcome === "done") throw error;
    Object.assign(connecting, { endedAt: now(), detail: error instanceof Error ? error.message : String(error) });
  }
  return { steps, revision, warnings: [...warnings], endedAt: now() };
}

function toRecording(transport: Transport, { startedAt }: Clock, { steps, revision, endedAt }: Run): Recording {
  const { id, name, era } = transport;
  const title = name === undefined || revision === undefined ? transport.title : `${name}, ${revision}`;
  const endpoint = transport.kind === "stdio" ? (transport.endpoint ?? toCommandLine(transport.target)) : transport.url;
  return {
    version: 1,
    id,
    title,
    transport: transport.kind === "stdio" ? "stdio" : "http",
    endpoint,
    era,
    ...(revision !== undefined && { revision }),
    startedAt,
    endedAt,
    exchanges: [],
    lines: [],
    steps,
    remarks: [],
  };
}

function toCommandLine({ command, args = [] }: Command): string {
  return [command, ...args].join(" ");
}
