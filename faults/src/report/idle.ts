// The report of idle sessions as Markdown, and what in it is a failure.
import type { IdleReport } from "../idle/run-idle.ts";
import type { Recovered } from "../idle/sessions.ts";

/** The heap that an idle session of an upstream over HTTP may take in a gateway, in bytes. */
const maxHeap = 40_000;

/** Does not depend on the speed of the machine. */
export function findIdleProblems(report: IdleReport): string[] {
  const { recovered, idle } = report;
  const unserved = recovered.filter(({ servedAt }) => servedAt === undefined).length;
  const untyped = countReplies(recovered).filter(([kind]) => kind.startsWith("untyped"));
  const told = recovered.filter(({ replies }) => replies.filter(({ outcome }) => outcome === "told").length === 1);
  const most = Math.max(...perSession(report, "heap"));
  return [
    ...(most > maxHeap ? [`an idle session takes ${kilobytes(most)} KB of heap`] : []),
    ...(idle.upstreamRequests > 0 ? [`idle sessions sent ${idle.upstreamRequests} requests to the server`] : []),
    ...(unserved > 0 ? [`${unserved} callers of the killed replica were not served again`] : []),
    ...(told.length < recovered.length
      ? [`${recovered.length - told.length} callers were not told once of the loss`]
      : []),
    ...untyped.map(([kind, count]) => `${count} replies: ${kind}`),
  ];
}

export function toIdlePage(report: IdleReport, problems: readonly string[]): string {
  const { sessions, node, openSeconds, idle, idleSeconds, recovered, recovery, recoverySeconds, perSecond } = report;
  const first = recovered.map(({ begin, first }) => first.at - begin);
  const served = recovered.map(({ begin, servedAt = Number.NaN }) => servedAt - begin);
  return [
    `# ${sessions} idle sessions at ${report.after.length} replicas`,
    "",
    `Node ${node}. ${problems.length === 0 ? "No problems." : problems.join("; ")}`,
    "",
    ...toRows([
      ["opening", `${openSeconds} s, failures: ${JSON.stringify(report.openFailures)}`],
      ["delay of the event loop meanwhile", delays(report.openDelays)],
      [
        "heap per session",
        perSession(report, "heap")
          .map((bytes) => `${kilobytes(bytes)} KB`)
          .join(", "),
      ],
      [
        "resident memory per session",
        perSession(report, "rss")
          .map((bytes) => `${kilobytes(bytes)} KB`)
          .join(", "),
      ],
      ["heap of a replica", report.after.map(({ heap }) => `${Math.round(heap / 1e6)} MB`).join(", ")],
      ["resident memory of a replica", report.after.map(({ rss }) => `${Math.round(rss / 1e6)} MB`).join(", ")],
      ["open sockets and files of a replica", report.descriptors.join(", ")],
      [`CPU of a replica in ${idleSeconds} s idle`, idle.cpu.map((seconds) => `${seconds.toFixed(2)} s`).join(", ")],
      ["requests and bytes to the server", `${idle.upstreamRequests}, ${idle.upstreamBytes}`],
      ["commands of Redis", commands(idle.redisCommands)],
      ["bytes to and from Redis", `${idle.redisBytesIn}, ${idle.redisBytesOut}`],
      ["delay of the event loop while idle", delays(report.idleDelays)],
      [
        "answers for operators",
        Object.entries(report.operator)
          .map(([path, ms]) => `${path}: ${ms} ms`)
          .join("; "),
      ],
      ["callers of the killed replica", `${recovered.length}, ${perSecond} per second`],
      [
        "their replies",
        countReplies(recovered)
          .map(([kind, count]) => `${count} ${kind}`)
          .join(", "),
      ],
      ["first reply", percentiles(first)],
      ["served", percentiles(served)],
      ["all served after the kill", `${recoverySeconds} s`],
      [
        "CPU of a replica for this",
        recovery.cpu
          .slice(1)
          .map((seconds) => `${seconds.toFixed(1)} s`)
          .join(", "),
      ],
      ["commands of Redis for this", commands(recovery.redisCommands)],
      ["delay of the event loop meanwhile", delays(report.recoveryDelays)],
    ]),
    "",
  ].join("\n");
}

function toRows(rows: readonly (readonly [string, string])[]): string[] {
  return ["| what | value |", "| --- | --- |", ...rows.map(([what, value]) => `| ${what} | ${value} |`)];
}

/** Of each replica, in bytes. */
function perSession({ before, after, counted }: IdleReport, of: "heap" | "rss"): number[] {
  return after.map((memory, replica) => (memory[of] - (before[replica]?.[of] ?? 0)) / counted);
}

function countReplies(recovered: readonly Recovered[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { outcome, reason } of recovered.flatMap(({ replies }) => replies)) {
    const kind = reason === undefined ? outcome : `${outcome} (${reason})`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts];
}

function commands(counts: Readonly<Record<string, number>>): string {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  const most = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return `${sum}: ${most
    .slice(0, 5)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")}`;
}

function delays(of: IdleReport["openDelays"]): string {
  return of.map(({ p99, max }) => `p99 ${Math.round(p99)} ms, longest ${Math.round(max)} ms`).join("; ");
}

function percentiles(times: readonly number[]): string {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (part: number) => ((sorted[Math.floor((sorted.length - 1) * part)] ?? 0) / 1_000).toFixed(2);
  return `p50 ${at(0.5)} s, p99 ${at(0.99)} s, slowest ${at(1)} s`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}
