// The report of a history as Markdown.
import type { HistoryReport } from "../history/run-history.ts";

export function toHistoryPage({ seed, ms, faults, measures, outcomes, violations, load }: HistoryReport): string {
  const { calls, ok, unavailable, told, lost, untyped, doubled, sessionsLost, untold, longestPauseMs } = measures;
  return [
    `# Fault history, seed ${seed}`,
    "",
    `${(ms / 60_000).toFixed(1)} minutes, ${faults.length} faults, load average ${load.toFixed(0)} at the end.`,
    "",
    `**${violations.length} violations.** ${calls} calls: ${ok} ok, ${unavailable} unavailable, ${told} told of a lost session,`,
    `${lost} lost, ${untyped} untyped, ${doubled} executed twice. ${sessionsLost} sessions lost, ${untold} without a notice.`,
    `Longest pause of a session: ${(longestPauseMs / 1_000).toFixed(1)} s.`,
    "",
    "| calls | number |",
    "| --- | --- |",
    ...Object.entries(outcomes).map(([outcome, count]) => `| ${outcome} | ${count} |`),
    "",
    "## Failures",
    "",
    ...Object.entries(measures.failures).map(([what, count]) => `- ${count} × ${what}`),
    "",
    "## Violations",
    "",
    ...(violations.length === 0 ? ["None."] : violations.map(({ rule, detail }) => `- **${rule}**: ${detail}`)),
    "",
    "## Faults",
    "",
    ...faults.map(({ name, begin, end }) => `- ${toSeconds(begin)}–${toSeconds(end)} s: ${name}`),
    "",
  ].join("\n");
}

function toSeconds(ms: number): string {
  return (Math.round(ms / 100) / 10 || 0).toFixed(1);
}
