// Connects as the options of the command line say, runs what the command does, and closes whatever happens.
import type { Client, CommandTarget, ConnectOptions, InteractiveOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { Era, JsonObject, LogLevel, LogMessage, Progress } from "@lethe/protocol";
import { toGivenRoot } from "../questions/ask-roots.ts";
import { createHandlers } from "../questions/create-handlers.ts";
import { createGivenAnswers, readAnswersFile } from "../questions/given-answers.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { type LoginOptions, toAuthorization } from "./login.ts";
import { toCommandError } from "./reach.ts";
import { defaultStartTimeoutMs } from "./timeout.ts";
import { untilInterrupted } from "./until-interrupted.ts";

export interface ClientOptions extends LoginOptions {
  env?: Record<string, string>;
  timeout: number;
  startTimeout?: number;
  era?: Era | "auto";
  verbose?: boolean;
  json?: boolean;
  answer?: JsonObject[];
  answers?: string;
  root?: string[];
  progress?: boolean;
  log?: LogLevel;
}

export interface Run {
  readonly client: Client;
  /** For each call that is made. */
  readonly call: InteractiveOptions;
  readonly isJson: boolean;
}

export interface Invocation {
  readonly target: string | CommandTarget;
  readonly options: ClientOptions;
}

/** Rejects with CommandError. */
export async function runWithClient(task: (run: Run) => Promise<void>, { target, options }: Invocation): Promise<void> {
  const style = createStyle(process.stderr);
  const given = createGivenAnswers([
    ...(options.answer ?? []),
    ...(options.answers === undefined ? [] : await readAnswersFile(options.answers)),
  ]);
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  const handlers = createHandlers({
    terminal: isTerminal ? { input: process.stdin, output: process.stderr } : undefined,
    given,
    roots: await Promise.all((options.root ?? []).map(toGivenRoot)),
    style,
    note,
  });
  const connectOptions: ConnectOptions = {
    // Also where nothing is asked: servers show less to a client that can do less.
    ...handlers,
    ...(typeof target === "string" && toAuthorization(target, options, process.env)),
    ...(options.verbose && { onStderr: (line: string) => note(style.dim(toPrintable(line))) }),
    timeoutMs: options.timeout,
    connectTimeoutMs: options.timeout,
    startTimeoutMs: options.startTimeout ?? Math.max(defaultStartTimeoutMs, options.timeout),
    ...(options.era && { era: options.era }),
    onWarning: (message) => note(`${style.yellow("!")} ${toPrintable(message)}`),
  };
  await untilInterrupted(async (signal) => {
    const client = await connect(target, { ...connectOptions, signal });
    // A session is ended, and a process stopped, before we go.
    const leave = () => void client.close();
    signal.addEventListener("abort", leave);
    try {
      await task({ client, call: toCallOptions(options, style), isJson: options.json === true });
    } finally {
      await client.close();
    }
  }).catch((error: unknown) => {
    throw toCommandError(error, target);
  });
  for (const answer of given.unused) note(`${style.yellow("!")} no question took the answer ${JSON.stringify(answer)}`);
}

function toCallOptions({ timeout, log, progress }: ClientOptions, style: Style): InteractiveOptions {
  const call: InteractiveOptions = { timeoutMs: timeout };
  if (log) {
    call.logLevel = log;
    call.onLog = (message) => note(toLogLine(message, style));
  }
  if (progress || process.stderr.isTTY) call.onProgress = (step) => note(style.dim(toProgressLine(step)));
  return call;
}

/** The server may send other types than the protocol promises. */
export function toLogLine({ level, logger, data }: LogMessage, style: Style): string {
  const from = logger === undefined ? "" : ` ${toPrintableLine(logger)}:`;
  return `${style.dim(`[${toPrintableLine(level)}]${from}`)} ${toPrintable(data)}`;
}

export function toProgressLine({ progress, total, message }: Progress): string {
  return `${toPrintable(message ?? "progress")} ${toPrintableLine(progress)}${total === undefined ? "" : `/${toPrintableLine(total)}`}`;
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
