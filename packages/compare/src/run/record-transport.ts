// Takes one transport from the first byte to the last, with a recorder between client and server.
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
  /** For each step. Default 10,000 ms. */
  timeoutMs?: number;
  /** For a server to say that it is there. Default 10,000 ms. */
  connectTimeoutMs?: number;
  /** How long a started command has for its first answer. Default `connectTimeoutMs`, else 60,000 ms. */
  startTimeoutMs?: number;
  /** How long to wait for a notification that may come after its result. Default 1,000 ms. */
  settleMs?: number;
  /** Masked wherever they stand; header and environment values of the transport are anyway. */
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

/** A recording whose first step, "connect", failed is a transport that the server does not have. */
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
  // Whatever waits for the server ends with the recorder.
  const leave = () => void recorder.close();
  options.signal?.addEventListener("abort", leave);
  const run = await connectAndRun(options, clock, (limits) => connectHttpTransport(visible, limits)).finally(() => {
    options.signal?.removeEventListener("abort", leave);
    return recorder.close();
  });
  const told = rename(run, recorder.origin, address.origin);
  const secrets = secretsOf({ ...transport, secrets: options.secrets ?? [] });
  const headers = Object.keys(transport.headers ?? {});
  return maskRecording({ ...toRecording(transport, clock, told), ...httpParts(recorder, told) }, { secrets, headers });
}

function httpParts(
  { exchanges, remarks, unreachable }: HttpRecorder,
  { steps, warnings }: Run,
): Pick<Recording, "exchanges" | "remarks" | "steps"> {
  // To the client the recorder was there and broke off: why is known only behind it.
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
  const told = rename(run, `${recorder.prefix} `, "");
  const secrets = secretsOf({ ...transport.target, secrets: options.secrets ?? [] });
  return maskRecording(
    { ...toRecording(transport, clock, told), lines, remarks: [teeRemark, ...told.warnings] },
    { secrets },
  );
}

/** The client knows the recorder by its own name, and a reader asks about the server. */
function rename(run: Run, recorder: string, server: string): Run {
  return {
    ...run,
    steps: run.steps.map((step) => ({ ...step, detail: step.detail.replaceAll(recorder, server) })),
    warnings: run.warnings.map((warning) => warning.replaceAll(recorder, server)),
  };
}

const teeRemark = "the recorder is a process of its own, whose start is part of the time to the first result";

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
    const leave = () => void client.close();
    signal?.addEventListener("abort", leave);
    revision = client.connection.revision;
    Object.assign(connecting, { endedAt: now(), outcome: "done", detail: `revision ${revision}` });
    try {
      const limits = { now, timeoutMs, settleMs, signal };
      steps.push(...(await ("kind" in script ? runSurvey(client, script, limits) : runScript(client, script, limits))));
      signal?.throwIfAborted();
    } finally {
      signal?.removeEventListener("abort", leave);
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
