// The measured quantities as a table with one column for each deployment, and as JSON.
import type { HeapPerSession } from "./heap.ts";
import type { Measured } from "./run-deployment.ts";

type Row = readonly [label: string, value: (measured: Measured) => number];

const purposes = ["heartbeat", "list", "subscribers", "connection check", "SET", "INFO"];

const perSecond = (value: number, ms: number): number => (value * 1_000) / ms;

const idleRows: readonly Row[] = [
  ["commands/s", ({ idle }) => perSecond(idle.total.count, idle.ms)],
  ["commands/s and replica", ({ idle, deployment }) => perSecond(idle.total.count, idle.ms) / deployment.replicas],
  ...purposes.map((purpose): Row => {
    return [`  ${purpose}/s`, ({ idle }) => perSecond(idle.byPurpose.get(purpose)?.count ?? 0, idle.ms)];
  }),
  ["commands in scripts/s", ({ idle }) => perSecond(idle.total.inner, idle.ms)],
  ["bytes/s to Redis", ({ idle }) => perSecond(idle.total.bytesIn, idle.ms)],
  ["bytes/s from Redis", ({ idle }) => perSecond(idle.total.bytesOut + idle.delivered.bytes, idle.ms)],
  ["messages by Redis/s", ({ idle }) => perSecond(idle.delivered.count, idle.ms)],
  ["direct messages/s", ({ idle }) => perSecond(idle.direct.count, idle.ms)],
  ["% of a core of Redis", ({ idle }) => (100 * idle.redisMs) / idle.ms],
];

const memoryRows: readonly Row[] = [
  ["keys in Redis per session", ({ stored, deployment }) => stored.sessions.keys / deployment.sessions],
  ["bytes of names and values per session", ({ stored }) => stored.sessions.bytes / stored.sessions.keys],
  ["with overhead (estimate)", ({ stored }) => stored.sessions.estimatedBytes / stored.sessions.keys],
  ["other keys per replica", ({ stored, deployment }) => stored.others.keys / deployment.replicas],
  ["their bytes per replica", ({ stored, deployment }) => stored.others.bytes / deployment.replicas],
  [
    "MB of Redis in total (estimate)",
    ({ stored: { sessions, others } }) => (sessions.estimatedBytes + others.estimatedBytes) / 1e6,
  ],
];

const callRows: readonly Row[] = [
  ["commands per opened session", ({ commandsPerOpen }) => commandsPerOpen],
  ...(["affinity", "firstAtReplica", "repeated"] as const).flatMap((kind): Row[] => [
    [`${kind}: forwarded %`, ({ calls: { [kind]: one } }) => (100 * one.forwarded) / one.calls],
    ["  failed", ({ calls }) => calls[kind].failed],
    ["  lookups per forwarded call", ({ calls }) => calls[kind].perForwarded.lookups],
    ["  messages per forwarded call", ({ calls }) => calls[kind].perForwarded.messages],
    ["  bytes at Redis per forwarded call", ({ calls }) => calls[kind].perForwarded.bytes],
    ["  µs of Redis per forwarded call", ({ calls }) => calls[kind].perForwarded.redisUs],
    ["  cores of Redis", ({ calls }) => calls[kind].redisCores],
  ]),
];

const lossRows: readonly Row[] = [
  ["Redis: all sessions recorded after, ms", ({ lostRedis }) => lostRedis.recordedMs ?? Number.NaN],
  ["  sessions lost", ({ lostRedis }) => lostRedis.lostSessions],
  ["  longest time without service, ms", ({ lostRedis }) => lostRedis.unservedMs],
  ["  peak of commands/s", ({ lostRedis }) => lostRedis.peakPerSecond],
  ["  direct messages/s during the outage", ({ lostRedis }) => lostRedis.directPerSecond],
  ["replica: its sessions", ({ lostReplica }) => lostReplica.sessions],
  ["  first replica knows after, ms", ({ lostReplica }) => lostReplica.knownMs.first],
  ["  all replicas know after, ms", ({ lostReplica }) => lostReplica.knownMs.last],
  ["  sessions served within a minute", ({ lostReplica }) => lostReplica.served],
  ["  half of the sessions served after, ms", ({ lostReplica }) => lostReplica.servedMs.half],
  ["  the last of these served after, ms", ({ lostReplica }) => lostReplica.servedMs.all],
  ["  commands per session", ({ lostReplica }) => lostReplica.commands / lostReplica.sessions],
  ["  peak of commands/s", ({ lostReplica }) => lostReplica.peakPerSecond],
  ["  failed calls", ({ lostReplica }) => lostReplica.failedCalls],
  ["  lost sessions of other replicas", ({ lostReplica }) => lostReplica.otherLosses],
];

const sections: readonly (readonly [string, readonly Row[]])[] = [
  ["Idle", idleRows],
  ["Memory", memoryRows],
  ["Calls", callRows],
  ["Losses (a call waits for Redis as for a real one)", lossRows],
];

const labelWidth = 48;
const columnWidth = 13;

export interface Report {
  readonly heap: HeapPerSession;
  readonly deployments: readonly Measured[];
}

export function toTable({ heap, deployments: all }: Report): string {
  const line = (label: string, cells: readonly string[]): string => {
    return label.padEnd(labelWidth) + cells.map((cell) => cell.padStart(columnWidth)).join("");
  };
  const { callsPerSecond, seconds } = (all[0] as Measured).deployment;
  const lines = [
    line(
      "replicas",
      all.map(({ deployment }) => format(deployment.replicas)),
    ),
    line(
      "sessions",
      all.map(({ deployment }) => format(deployment.sessions)),
    ),
    `${format(callsPerSecond)} calls/s for ${seconds} s`,
  ];
  for (const [title, rows] of sections) {
    lines.push("", title);
    for (const [label, value] of rows)
      lines.push(
        line(
          label,
          all.map((one) => format(value(one))),
        ),
      );
  }
  lines.push("", "Heap of a replica, bytes per session");
  lines.push(
    line("that it owns", [format(heap.owned)]),
    line("of which it remembers the owner", [format(heap.remembered)]),
  );
  return lines.join("\n");
}

function format(value: number): string {
  if (Number.isNaN(value)) return "-";
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function toJson(report: Report): string {
  return JSON.stringify(report, (_, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value), 2);
}
