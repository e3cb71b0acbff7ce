// The columns of the table of upstreams.
import { Link } from "@tanstack/react-router";
import type { SeriesAnswer, Upstream } from "../admin/admin-api.ts";
import { sum, trafficOf } from "../admin/traffic.ts";
import { formatDuration } from "../format/durations.ts";
import { formatAmount, formatCount } from "../format/numbers.ts";
import { Badge, Status } from "../parts/badge.tsx";
import { Chart } from "../parts/chart.tsx";
import type { Column } from "../parts/data-table.tsx";
import { verdictTones } from "./tones.ts";
import { toStateSummary } from "./upstream-state.ts";

export function toUpstreamColumns(series: SeriesAnswer | undefined): Column<Upstream>[] {
  return [
    {
      ...{ id: "name", header: "Name", sortBy: ({ name }) => name },
      cell: ({ name, verdict, kind }) => (
        <div className="stack">
          <Link to="/upstreams/$name" params={{ name }} className="strong">
            {name}
          </Link>
          <span className="muted small">
            {verdict?.features.server ? `${verdict.features.server.name} ${verdict.features.server.version}` : kind}
          </span>
        </div>
      ),
    },
    {
      ...{ id: "state", header: "State", sortBy: ({ state }) => state },
      cell: (upstream) => <StateCell upstream={upstream} />,
    },
    {
      ...{ id: "verdict", header: "Verdict", priority: 2, sortBy: ({ verdict }) => verdict?.word ?? "" },
      cell: ({ verdict }) =>
        verdict ? <Badge tone={verdictTones[verdict.word] ?? "neutral"}>{verdict.word.toLowerCase()}</Badge> : "–",
    },
    {
      ...{ id: "era", header: "Era", priority: 2, sortBy: ({ revision }) => revision ?? "" },
      cell: (upstream) => <EraCell upstream={upstream} />,
    },
    {
      ...{ id: "sessions", header: "Sessions", align: "end", priority: 3, sortBy: ({ sessions }) => sessions },
      cell: ({ sessions }) => sessions,
    },
    {
      ...{ id: "offer", header: "Tools", align: "end", priority: 3, sortBy: ({ tools }) => tools },
      cell: ({ tools }) => tools,
    },
    {
      ...{ id: "requests", header: "Requests", priority: 2, size: "chart" },
      sortBy: ({ recent }) => recent.requests,
      cell: ({ name }) => <TrafficCell name={name} series={series} />,
    },
    {
      ...{ id: "latency", header: "Latency", align: "end", sortBy: ({ recent }) => recent.p50 ?? -1 },
      cell: ({ recent: { p50, p95 } }) =>
        p50 === null ? (
          <span className="muted">–</span>
        ) : (
          <div className="stack">
            <span>{formatDuration(p50)}</span>
            <span className="muted small">p95 {p95 === null ? "–" : formatDuration(p95)}</span>
          </div>
        ),
    },
  ];
}

function StateCell({ upstream }: { upstream: Upstream }) {
  const { tone, label, exceptions } = toStateSummary(upstream);
  const [exception] = exceptions;
  const notes = upstream.warnings.length + upstream.problems.length;
  return (
    <div className="stack">
      <Status tone={tone}>{label}</Status>
      {exception ? (
        <span className={exception.isFailure ? "bad small" : "muted small"} title={exception.reason}>
          {exception.label}
          {exceptions.length > 1 && `, ${exceptions.length - 1} more`}
        </span>
      ) : (
        notes > 0 && <span className="muted small">{formatAmount(notes, "note")}</span>
      )}
    </div>
  );
}

function EraCell({ upstream: { era, revision, verdict } }: { upstream: Upstream }) {
  if (!revision) return "–";
  return (
    <div className="stack">
      <span className="mono">{revision}</span>
      <span className="muted small">
        {era}
        {verdict ? ` · ${verdict.transport}` : ""}
      </span>
    </div>
  );
}

function TrafficCell({ name, series }: { name: string; series: SeriesAnswer | undefined }) {
  const { times, requests, errors } = trafficOf(series, name);
  const total = sum(requests);
  const failed = sum(errors);
  return (
    <div className="chart-cell">
      <div className="stack">
        <span>{formatCount(total)}</span>
        {failed > 0 && <span className="bad small">{formatAmount(failed, "error")}</span>}
      </div>
      <Chart
        isSpark
        height={24}
        times={times}
        series={[
          { label: "requests", values: requests, color: "--accent" },
          // Without errors, there is no line for them.
          { label: "errors", values: errors.map((count) => count || null), color: "--bad" },
        ]}
        label={`${name}: ${formatAmount(total, "request")}, ${formatAmount(failed, "error")} in the last 10 min`}
      />
    </div>
  );
}
