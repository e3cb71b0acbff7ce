// One upstream: its verdict with the evidence for it, traffic, sessions, and what its process wrote.
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { UpstreamDetail } from "../admin/admin-api.ts";
import { AdminError } from "../admin/admin-client.ts";
import { trafficOf } from "../admin/traffic.ts";
import { useAdminQuery, useSeries } from "../admin/use-admin.ts";
import { formatDuration } from "../format/durations.ts";
import { formatAmount } from "../format/numbers.ts";
import { Badge, Status } from "../parts/badge.tsx";
import { Chart } from "../parts/chart.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Empty, Failed, Loading } from "../parts/page-state.tsx";
import { Unanswered } from "../parts/unanswered.tsx";
import { CatalogSection } from "./catalog-section.tsx";
import { ProcessesSection } from "./processes-section.tsx";
import { verdictTones } from "./tones.ts";
import { isConfiguredAt, type StateException, type StateSummary, toStateSummary } from "./upstream-state.ts";
import { VerdictSection } from "./verdict-section.tsx";

const refreshMs = 2_000;

export function UpstreamPage() {
  const { name } = useParams({ from: "/upstreams/$name" });
  const { data: upstream, error } = useAdminQuery<UpstreamDetail>(`/upstreams/${encodeURIComponent(name)}`, refreshMs);
  if (error instanceof AdminError && !upstream) {
    return (
      <Failed title={`No upstream “${name}”`}>
        <p>
          {error.message}. <Link to="/">Back to the fleet</Link>
        </p>
      </Failed>
    );
  }
  if (!upstream) return <Loading label={`Reading ${name}`} />;
  const state = toStateSummary(upstream);
  return (
    <>
      <p className="crumb">
        <Link to="/">Fleet</Link>
      </p>
      <PageHeader title={name} hint={<span className="mono wrap">{upstream.target}</span>}>
        <Status tone={state.tone}>{state.label}</Status>
        {upstream.verdict && (
          <Badge tone={verdictTones[upstream.verdict.word] ?? "neutral"}>{upstream.verdict.word.toLowerCase()}</Badge>
        )}
      </PageHeader>
      <Unanswered replicas={upstream.unanswered} />
      <Notes upstream={upstream} state={state} />
      <div className="columns">
        <UpstreamFacts upstream={upstream} />
        <UpstreamTraffic name={name} />
      </div>
      <VerdictSection upstream={upstream} />
      <ProcessesSection upstream={upstream} />
      <CatalogSection name={name} isOwn={isConfiguredAt(upstream.replica, upstream)} />
      <Stderr lines={upstream.stderr} />
    </>
  );
}

function Notes({ upstream, state }: { upstream: UpstreamDetail; state: StateSummary }) {
  const { reason, warnings, problems } = upstream;
  const { exceptions } = state;
  const failed = exceptions.filter(({ isFailure }) => isFailure).map((one) => withReason(one));
  const failures = failed.length > 0 ? failed : exceptions.length === 0 && reason ? [reason] : [];
  const others = exceptions.filter(({ isFailure }) => !isFailure).map((one) => withReason(one));
  return (
    <>
      {failures.map((failure) => (
        <p key={failure} className="banner banner-bad" role="alert">
          {failure}
        </p>
      ))}
      {[...others, ...problems, ...warnings].map((note) => (
        <p key={note} className="banner banner-warn">
          {note}
        </p>
      ))}
    </>
  );
}

function withReason({ label, reason }: StateException): string {
  return reason ? `${label}: ${reason}` : label;
}

function UpstreamFacts({ upstream }: { upstream: UpstreamDetail }) {
  const { verdict, revision, era, use, affinity, sessions, openSessions, waiting, pending, failures } = upstream;
  return (
    <section className="card" aria-labelledby="facts-title">
      <h2 id="facts-title">Overview</h2>
      <Facts>
        {verdict?.features.server && (
          <Fact label="Server">
            {verdict.features.server.name} {verdict.features.server.version}
          </Fact>
        )}
        <Fact label="Revision">{revision ? `${revision} (${era})` : "not known yet"}</Fact>
        {verdict && <Fact label="Transport">{verdict.transport}</Fact>}
        {use && <Fact label="Use">{use}</Fact>}
        {affinity && <Fact label="A session serves">{affinity === "request" ? "one request" : `one ${affinity}`}</Fact>}
        <Fact label="Sessions">
          {sessions}
          {openSessions.some(({ isEnding }) => isEnding) ? " (some end)" : ""}
        </Fact>
        <Fact label="Waiting requests">{waiting}</Fact>
        <Fact label="Calls waiting for input">{pending}</Fact>
        <Fact label="Failures in a row">{failures}</Fact>
        <Fact label="Offers">
          {formatAmount(upstream.tools, "tool")}, {formatAmount(upstream.prompts, "prompt")},{" "}
          {formatAmount(upstream.resources, "resource")}
        </Fact>
      </Facts>
    </section>
  );
}

function UpstreamTraffic({ name }: { name: string }) {
  const series = useSeries();
  const { times, requests, errors, p50, p95 } = useMemo(() => trafficOf(series, name), [series, name]);
  return (
    <section className="card" aria-labelledby="traffic-title">
      <h2 id="traffic-title">
        Traffic <span className="muted">last 10 min, per 10 s</span>
      </h2>
      <Chart
        height={120}
        times={times}
        series={[
          {
            label: "requests",
            values: requests,
            color: "--accent",
            isBar: true,
            format: (value) => String(Math.round(value)),
          },
          { label: "errors", values: errors.map((count) => count || null), color: "--bad", isBar: true },
        ]}
        label={`Requests and errors of ${name}`}
      />
      <Chart
        height={120}
        times={times}
        series={[
          { label: "median", values: p50, color: "--ok", format: formatDuration },
          { label: "p95", values: p95, color: "--warn", format: formatDuration },
        ]}
        label={`Latency of ${name}`}
      />
    </section>
  );
}

function Stderr({ lines }: { lines: readonly string[] }): ReactNode {
  return (
    <section className="card" aria-labelledby="stderr-title">
      <h2 id="stderr-title">
        Standard error{" "}
        <span className="muted">{lines.length > 0 ? `last ${formatAmount(lines.length, "line")}` : ""}</span>
      </h2>
      {lines.length === 0 ? (
        <Empty title="Nothing written" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard.
        <pre className="log" tabIndex={0}>
          {lines.join("\n")}
        </pre>
      )}
    </section>
  );
}
