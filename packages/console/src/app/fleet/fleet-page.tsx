// The first page: how the fleet is, who calls it, and every upstream with its verdict and traffic.
import { useMemo, useState } from "react";
import type { Overview, SeriesAnswer, TopologyAnswer, Upstream } from "../admin/admin-api.ts";
import { trafficOf } from "../admin/traffic.ts";
import { useAdminQuery, useOverview, useSeries, useUpstreams } from "../admin/use-admin.ts";
import { formatAge, formatDuration } from "../format/durations.ts";
import { formatAmount, formatCount } from "../format/numbers.ts";
import { Badge } from "../parts/badge.tsx";
import { Chart } from "../parts/chart.tsx";
import { DataTable } from "../parts/data-table.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Empty, Loading } from "../parts/page-state.tsx";
import { Tile, Tiles } from "../parts/tiles.tsx";
import { Unanswered } from "../parts/unanswered.tsx";
import { useNow } from "../parts/use-now.ts";
import { EndpointsSection } from "./endpoints-section.tsx";
import { FlowDiagram } from "./flow-diagram.tsx";
import { toUpstreamColumns } from "./upstream-columns.tsx";
import { isFailedInPart } from "./upstream-state.ts";

const refreshMs = 3_000;

export function FleetPage() {
  const overview = useOverview();
  const upstreams = useUpstreams();
  const series = useSeries();
  const { data: topology } = useAdminQuery<TopologyAnswer>("/topology", refreshMs);
  if (!overview || !upstreams) return <Loading label="Reading the fleet" />;
  return (
    <>
      <PageHeader title="Fleet" hint={<Facts overview={overview} />}>
        <Badge tone={overview.state === "serving" ? "ok" : "warn"}>{overview.state}</Badge>
      </PageHeader>
      <Unanswered replicas={overview.unanswered} />
      <FleetTiles overview={overview} upstreams={upstreams} series={series} />
      <section className="card" aria-labelledby="traffic-title">
        <h2 id="traffic-title">
          Traffic <span className="muted">{topology ? `requests in the last ${lastOf(topology.seconds)}` : ""}</span>
        </h2>
        {topology ? <FlowDiagram topology={topology} upstreams={upstreams} /> : <div className="flow" />}
      </section>
      <Upstreams upstreams={upstreams} series={series} />
      <EndpointsSection />
    </>
  );
}

/** An earlier version of the gateway sends no `replicas`, during a rolling upgrade. */
function Facts({ overview: { listening, version, started, replicas = [] } }: { overview: Overview }) {
  const now = useNow();
  return (
    <>
      <span className="mono wrap">{listening.url}</span> · {version} · up {formatAge(now - Date.parse(started))}
      {replicas.length > 1 && ` · ${replicas.length} replicas`}
    </>
  );
}

interface FleetTilesProps {
  overview: Overview;
  upstreams: readonly Upstream[];
  series: SeriesAnswer | undefined;
}

function FleetTiles({ overview, upstreams, series }: FleetTilesProps) {
  const { recent } = overview;
  const { times, requests } = useMemo(() => trafficOf(series), [series]);
  const { ready, idle, starting, failed } = overview.upstreams;
  const total = ready + idle + starting + failed;
  const failedInPart = upstreams.filter(isFailedInPart).length;
  const share = recent.requests === 0 ? 0 : (recent.errors / recent.requests) * 100;
  return (
    <Tiles>
      <Tile
        label="Upstreams"
        value={`${ready + idle}/${total}`}
        note={failed > 0 ? toFailures(failed, failedInPart) : starting > 0 ? `${starting} starting` : "all available"}
        tone={failed > failedInPart ? "bad" : failed > 0 ? "warn" : "ok"}
      />
      <Tile
        label="Requests"
        value={`${formatCount(recent.requests)}/min`}
        note={`${formatCount(overview.total.requests)} since the start`}
      >
        <Chart
          isSpark
          height={28}
          times={times}
          series={[{ label: "requests", values: requests, color: "--accent" }]}
          label="Requests in the last 10 min"
        />
      </Tile>
      <Tile
        label="Errors"
        value={`${share.toFixed(share > 0 && share < 10 ? 1 : 0)} %`}
        note={`${formatCount(recent.errors)} failed in the last minute`}
        tone={recent.errors > 0 ? "bad" : "neutral"}
      />
      <Tile
        label="Latency p95"
        value={recent.p95 === null ? "–" : formatDuration(recent.p95)}
        note={recent.p50 === null ? "no requests in the last minute" : `median ${formatDuration(recent.p50)}`}
      />
      <Tile label="Sessions" value={formatCount(overview.sessions)} note="at upstreams" />
      <Tile
        label="Waiting for input"
        value={formatCount(overview.pendingCalls)}
        note={formatAmount(overview.tasks, "running task")}
      />
    </Tiles>
  );
}

function toFailures(failed: number, inPart: number): string {
  if (inPart === 0) return `${failed} failed`;
  return failed === inPart ? `${failed} failed at some replicas` : `${failed} failed, ${inPart} at some replicas`;
}

function Upstreams({ upstreams, series }: { upstreams: readonly Upstream[]; series: SeriesAnswer | undefined }) {
  const [filter, setFilter] = useState("");
  const columns = useMemo(() => toUpstreamColumns(series), [series]);
  const wanted = filter.trim().toLowerCase();
  const shown = useMemo(
    () => upstreams.filter((upstream) => wanted === "" || textOf(upstream).includes(wanted)),
    [upstreams, wanted],
  );
  return (
    <section className="card card-flush" aria-labelledby="upstreams-title">
      <div className="card-head">
        <h2 id="upstreams-title">
          Upstreams <span className="muted">{formatCount(shown.length)}</span>
        </h2>
        <input
          type="search"
          className="filter"
          placeholder="Filter by name, state, verdict"
          aria-label="Filter upstreams"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      </div>
      <DataTable
        label="Upstreams"
        columns={columns}
        rows={shown}
        rowKey={({ name }) => name}
        rowHeight={48}
        empty={
          upstreams.length === 0 ? (
            <Empty title="No upstreams yet">
              <p>Add a server to the configuration, for example with `lethe add`.</p>
            </Empty>
          ) : (
            <Empty title={`No upstream matches “${filter}”`} />
          )
        }
      />
    </section>
  );
}

function textOf({ name, state, verdict, era, kind, target }: Upstream): string {
  return [name, state, verdict?.word, era, kind, target].join(" ").toLowerCase();
}

function lastOf(seconds: number): string {
  return seconds >= 60 && seconds < 120 ? "minute" : formatAge(seconds * 1_000);
}
