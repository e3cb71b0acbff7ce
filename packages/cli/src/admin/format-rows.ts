// Formats what the admin API answers as lines for a terminal.
import { toPrintableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import type {
  ExchangeRowView,
  HealthView,
  LogRowView,
  OverviewView,
  RecentView,
  UpstreamRowView,
} from "./admin-views.ts";

type Paint = (text: string) => string;
const plain: Paint = (text) => text;

export function toHeadLines(
  overview: OverviewView,
  { isReady, readiness, replicas, unanswered }: HealthView,
  style: Style,
): string[] {
  const { name, version, state, upSeconds, replica, listening, total, sessions, pendingCalls, tasks, memory } =
    overview;
  const others = replicas.filter(({ isSelf }) => !isSelf);
  const paint = isReady ? style.green : style.red;
  return [
    `${style.bold(name)} ${version}  ${paint(isReady ? state : readiness)}  up ${toDuration(upSeconds)}  replica ${replica}`,
    `${toPrintableLine(listening.url)}  held memory ${toBytes(memory.heldBytes)} of ${toBytes(memory.hardBytes)}`,
    `requests ${toCount(total.requests)}, errors ${toCount(total.errors)}; last minute ${toRecent(overview.recent)}`,
    `sessions ${sessions}, pending calls ${pendingCalls}, tasks ${tasks}`,
    ...others.map(({ id, state: other, sessions: own }) => `replica ${id}  ${other}  sessions ${own}`),
    ...unanswered.map(({ replica: other, reason }) =>
      style.red(`replica ${toPrintableLine(other)} does not answer: ${toPrintableLine(reason)}`),
    ),
    ...(overview.unanswered ?? [])
      .filter(({ replica: other }) => !unanswered.some((known) => known.replica === other))
      .map(({ replica: other, reason }) =>
        style.red(`the figures of replica ${toPrintableLine(other)} are missing: ${toPrintableLine(reason)}`),
      ),
  ];
}

const heads = ["server", "state", "is", "era", "tools", "sessions", "waiting", "req/min", "errors", "p50 ms", "p95 ms"];
const firstNumber = 4;

export function toUpstreamLines(upstreams: readonly UpstreamRowView[], style: Style): string[] {
  const rows = upstreams.map((upstream) => {
    const { name, verdict, era = "–", tools, sessions, waiting, recent } = upstream;
    return [
      name,
      toState(upstream),
      verdict?.word ?? "–",
      era,
      tools,
      sessions,
      waiting,
      recent.requests,
      recent.errors,
      ms(recent.p50),
      ms(recent.p95),
    ].map(toPrintableLine);
  });
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((cells) => cells[column]?.length ?? 0)));
  const toLine = (cells: readonly string[], paintOf: (column: number) => Paint) =>
    cells
      .map((cell, column) => {
        // Padding is not coloured.
        const space = " ".repeat((widths[column] ?? 0) - cell.length);
        return column < firstNumber ? paintOf(column)(cell) + space : space + paintOf(column)(cell);
      })
      .join("  ")
      .trimEnd();
  const paintsOf =
    ({ state, recent }: UpstreamRowView) =>
    (column: number) => {
      if (column === 0) return style.bold;
      if (column === 1) return state === "failed" ? style.red : state === "ready" ? style.green : style.dim;
      return column === 8 && recent.errors > 0 ? style.red : plain;
    };
  return [
    toLine(heads, () => style.dim),
    ...upstreams.map((upstream, row) => toLine(rows[row] ?? [], paintsOf(upstream))),
  ];
}

/** Such as "ready", or "failed at 1 of 3" where replicas differ. */
function toState({ state, states = [] }: UpstreamRowView): string {
  const countOf = (all: typeof states) => all.reduce((sum, { replicas }) => sum + replicas.length, 0);
  const [count, total] = [countOf(states.filter((one) => one.state === state)), countOf(states)];
  return count === total ? state : `${state} at ${count} of ${total}`;
}

export function toProblemLines({ problems }: HealthView, style: Style): string[] {
  return problems.map(
    ({ source, upstream, text }) => `${style.yellow("!")} ${toPrintableLine(`${upstream ?? source}: ${text}`)}`,
  );
}

export function toExchangeLine(exchange: ExchangeRowView, style: Style): string {
  const { time, replica, method, name = "", caller = "", upstream = "", outcome, reason, detail } = exchange;
  const isBad = outcome === "error" || outcome === "tool_error" || outcome === "rejected";
  const paint = isBad ? style.red : outcome === "complete" ? style.green : style.yellow;
  const words = [method, name, upstream && `→ ${upstream}`, caller && `by ${caller}`, reason, detail && `(${detail})`];
  const told = toPrintableLine(words.filter((word) => word !== undefined && word !== "").join(" "));
  return `${style.dim(toClock(time))} ${style.dim(replica)} ${paint(outcome.padEnd(14))} ${ms(exchange.ms).padStart(8)} ms  ${told}`;
}

export function toLogLine({ time, level, event, message }: LogRowView, style: Style): string {
  const paint = level === "error" ? style.red : level === "warn" ? style.yellow : style.dim;
  return `${style.dim(toClock(time))} ${paint(level.padEnd(5))} ${toPrintableLine(`${event} ${message}`)}`;
}

function toRecent({ requests, errors, p50, p95 }: RecentView): string {
  if (requests === 0) return "no request";
  return `${toCount(requests)} requests, ${toCount(errors)} errors, p50 ${ms(p50)} ms, p95 ${ms(p95)} ms`;
}

/** The time of day, in UTC like the log. */
function toClock(time: string): string {
  return toPrintableLine(time).slice(11, 23);
}

function ms(value: number | null): string {
  if (value === null) return "–";
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}

function toCount(count: number): string {
  return count.toLocaleString("en-US");
}

function toBytes(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return `${mebibytes < 10 ? mebibytes.toFixed(1) : Math.round(mebibytes)} MiB`;
}

function toDuration(seconds: number): string {
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ] as const;
  const first = units.findIndex(([size]) => seconds >= size);
  if (first < 0) return "0 s";
  const parts = units.slice(first, first + 2).map(([size, unit], index) => {
    const count = Math.floor((index === 0 ? seconds : seconds % (units[first]?.[0] ?? 1)) / size);
    return count === 0 ? "" : `${count} ${unit}`;
  });
  return parts.filter((part) => part !== "").join(" ");
}
