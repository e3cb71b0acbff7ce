// Connects by the options of the command line, runs the command, and closes the connection in any case.
import type { Client, CommandTarget, ConnectOptions, InteractiveOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { Era, JsonObject, LogLevel, LogMessage, Progress } from "@lethe/protocol";
import { toGivenRoot } from "../input-requests/ask-roots.ts";
import { createHandlers } from "../input-requests/create-handlers.ts";
import { createGivenAnswers } from "../input-requests/given-answers.ts";
import { readAnswersFile } from "../input-requests/parse-answers.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { createWaitingLine } from "../terminal/waiting-line.ts";
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
  /** Options of each call. */
  readonly call: InteractiveOptions;
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** Must be called before a result is printed: removes the line that shows that the call is running. */
  received(): void;
}

export interface Invocation {
  readonly target: string | CommandTarget;
  readonly options: ClientOptions;
}

/** Rejects with CommandError. */
export async function runWithClient(task: (run: Run) => Promise<void>, { target, options }: Invocation): Promise<void> {
  const style = createStyle(process.stderr);
  const waiting = createWaitingLine(process.stderr, toShortName(target));
  const note = (text: string): void => {
    waiting.clear();
    process.stderr.write(`${text}\n`);
  };
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
    pause: waiting.pause,
  });
  const connectOptions: ConnectOptions = {
    // Declared for all commands, because servers offer less to clients with fewer capabilities.
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
    // Ends the session or the process before the command exits.
    const leave = () => void client.close();
    signal.addEventListener("abort", leave);
    try {
      await task({
        client,
        call: toCallOptions(options, style, note),
        isJson: options.json === true,
        isVerbose: options.verbose === true,
        received: waiting.stop,
      });
    } finally {
      await client.close();
    }
  })
    .catch((error: unknown) => {
      throw toCommandError(error, target);
    })
    .finally(waiting.stop);
  for (const answer of given.unused)
    note(`${style.yellow("!")} no input request used the answer ${JSON.stringify(answer)}`);
}

function toCallOptions(
  { timeout, log, progress }: ClientOptions,
  style: Style,
  note: (text: string) => void,
): InteractiveOptions {
  const call: InteractiveOptions = { timeoutMs: timeout };
  if (log) {
    call.logLevel = log;
    call.onLog = (message) => note(toLogLine(message, style));
  }
  if (progress || process.stderr.isTTY) call.onProgress = (step) => note(style.dim(toProgressLine(step)));
  return call;
}

/** Accepts any types, because a server may send others than the protocol defines. */
export function toLogLine({ level, logger, data }: LogMessage, style: Style): string {
  const from = logger === undefined ? "" : ` ${toPrintableLine(logger)}:`;
  return `${style.dim(`[${toPrintableLine(level)}]${from}`)} ${toPrintable(data)}`;
}

export function toProgressLine({ progress, total, message }: Progress): string {
  return `${toPrintable(message ?? "progress")} ${toPrintableLine(progress)}${total === undefined ? "" : `/${toPrintableLine(total)}`}`;
}

/** The host, or the command. */
function toShortName(target: string | CommandTarget): string {
  return typeof target === "string" ? new URL(target).host : target.command;
}
