// The table of faults as Markdown.
import type { Sighting } from "../fleet/observer.ts";
import type { Row } from "../table/run-row.ts";

const columns = [
  "fault",
  "calls",
  "ok",
  "unavailable (503)",
  "told",
  "lost (ran)",
  "untyped",
  "doubled",
  "sessions lost (untold)",
  "longest pause",
  "slowest call",
  "failures after the fault",
  "what an operator sees",
  "load",
];

export function toTable(rows: readonly Row[]): string {
  const lines = rows.map((row) => `| ${toCells(row).join(" | ")} |`);
  return [`| ${columns.join(" | ")} |`, `|${columns.map(() => " --- |").join("")}`, ...lines].join("\n");
}

function toCells({ title, skipped, measures, sightings = [], load = 0 }: Row): (string | number)[] {
  if (!measures) return [title, `not run: ${skipped}`, ...columns.slice(2).map(() => "")];
  const { unavailable, unavailable503, lost, lostRan, sessionsLost, untold, flapping, badFromMs, badToMs } = measures;
  const window = badFromMs === undefined ? "–" : `${toSeconds(badFromMs)}–${toSeconds(badToMs ?? 0)} s`;
  const back = flapping > 0 ? `, ${flapping} came back` : "";
  return [
    title,
    measures.calls,
    measures.ok,
    `${unavailable} (${unavailable503})`,
    measures.told,
    `${lost} (${lostRan})`,
    measures.untyped,
    measures.doubled,
    `${sessionsLost} (${untold})${back}`,
    `${toSeconds(measures.longestPauseMs)} s`,
    `${toSeconds(measures.slowestCallMs)} s`,
    window,
    toOperatorView(sightings),
    load.toFixed(0),
  ];
}

/** Events of every start, which say nothing about the fault. */
const ofStarts = /^log (warn )?(upstream\.|gateway\.)/;

/** The kinds of events, each with the number of replicas that showed it. */
function toOperatorView(sightings: readonly Sighting[]): string {
  const replicas = new Map<string, Set<number>>();
  for (const { what, replica } of sightings) {
    if (ofStarts.test(what)) continue;
    const kind = what.startsWith("log ") ? what.replace(/:.*/s, "") : what.slice(0, 60);
    replicas.set(kind, (replicas.get(kind) ?? new Set()).add(replica));
  }
  const kinds = [...replicas].slice(0, 10).map(([kind, { size }]) => (size > 1 ? `${kind} (${size} replicas)` : kind));
  return kinds.join("; ").replaceAll("|", "\\|") || "nothing";
}

/** One section per row: failures by reason, what operators saw, and violations. */
export function toDetails(rows: readonly Row[]): string {
  return rows
    .filter(({ measures }) => measures)
    .map(({ title, measures, sightings = [], notes = [], violations = [] }) =>
      [
        `### ${title}`,
        "",
        ...Object.entries(measures?.failures ?? {}).map(([what, count]) => `- ${count} × ${what}`),
        ...notes.map((note) => `- ${note}`),
        ...violations.slice(0, 20).map(({ rule, detail }) => `- **${rule}**: ${detail}`),
        ...(violations.length > 20 ? [`- and ${violations.length - 20} more violations`] : []),
        ...sightings.slice(0, 60).map(showSighting),
        "",
      ].join("\n"),
    )
    .join("\n");
}

function showSighting({ at, replica, what }: Sighting): string {
  return `- ${toSeconds(at)} s, replica ${replica}: ${what.replaceAll("|", "\\|")}`;
}

function toSeconds(ms: number): string {
  return (Math.round(ms / 100) / 10 || 0).toFixed(1);
}
