// One request, step by step: what its caller sent, what the upstream received, and when. Rounds of one call appear together.
import { useQueries } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Exchange, ExchangeDetail } from "../admin/admin-api.ts";
import { useAdmin, useAdminQuery } from "../admin/use-admin.ts";
import { formatClock, formatDuration } from "../format/durations.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Empty, Failed, Loading } from "../parts/page-state.tsx";
import { toCurl, toHar, toTest } from "./copy-as.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";
import { toSequence } from "./sequence.ts";
import { SequenceDiagram } from "./sequence-diagram.tsx";

export function ExchangePage() {
  const { id } = useParams({ from: "/live/$id" });
  const { data: exchange, error } = useAdminQuery<ExchangeDetail>(`/exchanges/${encodeURIComponent(id)}`);
  if (error) {
    return (
      <Failed title="This request is not kept any more">
        <p>
          {error.message}. <Link to="/live">Back to the list</Link>
        </p>
      </Failed>
    );
  }
  if (!exchange) return <Loading label="Reading the request" />;
  const { method, name, outcome, code } = exchange;
  return (
    <>
      <p className="crumb">
        <Link to="/live">Live</Link>
      </p>
      <PageHeader title={name ?? method} hint={<span className="mono">{method}</span>}>
        <OutcomeBadge outcome={outcome} code={code} />
        <CopyButton label="curl" text={() => toCurl(exchange, location.origin)} />
        <CopyButton label="HAR" text={() => toHar([exchange], location.origin)} />
        <CopyButton label="Test" text={() => toTest(exchange, location.origin)} />
      </PageHeader>
      <SequenceCard exchange={exchange} />
      <div className="columns columns-top">
        <ExchangeFacts exchange={exchange} />
        <Bodies exchange={exchange} />
      </div>
    </>
  );
}

function SequenceCard({ exchange }: { exchange: ExchangeDetail }) {
  const { client } = useAdmin();
  const others = useQueries({
    queries: exchange.related.map(({ id }) => ({
      queryKey: ["admin", `/exchanges/${encodeURIComponent(id)}`],
      queryFn: () => client.get<ExchangeDetail>(`/exchanges/${encodeURIComponent(id)}`),
    })),
  });
  const related = others.flatMap(({ data }) => (data ? [data] : []));
  const sequence = toSequence([exchange, ...related]);
  const hasSteps = sequence.rounds.some(({ rows }) => rows.length > 0);
  return (
    <section className="card" aria-labelledby="sequence-title">
      <h2 id="sequence-title">
        What happened <span className="muted">{formatDuration(sequence.totalMs)}</span>
      </h2>
      {hasSteps ? (
        <SequenceDiagram sequence={sequence} />
      ) : (
        <Empty title="Its steps were not recorded">
          <p>
            The gateway records the steps of requests that arrive while a console is open. Of many requests, it records
            those of a sample.
          </p>
        </Empty>
      )}
      {exchange.stepsOmitted > 0 && (
        <p className="muted small">{exchange.stepsOmitted} further steps were not recorded.</p>
      )}
      <Rounds exchange={exchange} />
    </section>
  );
}

function Rounds({ exchange: { related } }: { exchange: ExchangeDetail }) {
  if (related.length === 0) return null;
  return (
    <p className="small">
      Other rounds of this call:{" "}
      {related.map((other: Exchange) => (
        <Link key={other.id} to="/live/$id" params={{ id: other.id }} className="round-link">
          {formatClock(other.time)} {other.outcome.replace("_", " ")}
        </Link>
      ))}
    </p>
  );
}

function ExchangeFacts({ exchange }: { exchange: ExchangeDetail }) {
  const { time, ms, caller, endpoint, upstream, replica, reason, detail, replicaFailure, revision, id } = exchange;
  return (
    <section className="card" aria-labelledby="facts-title">
      <h2 id="facts-title">Request</h2>
      <Facts>
        <Fact label="Arrived">{formatClock(time)}</Fact>
        <Fact label="Took">{formatDuration(ms)}</Fact>
        <Fact label="Caller">{caller ?? "anonymous"}</Fact>
        <Fact label="Endpoint">
          <span className="mono">{endpoint}</span>
        </Fact>
        {upstream && (
          <Fact label="Upstream">
            <Link to="/upstreams/$name" params={{ name: upstream }}>
              {upstream}
            </Link>
          </Fact>
        )}
        <Fact label="Replica">
          <span className="mono">{replica}</span>
        </Fact>
        {reason && <Fact label="Reason">{reason}</Fact>}
        {detail && <Fact label="Details">{detail}</Fact>}
        {replicaFailure && <Fact label="At another replica">{replicaFailure}</Fact>}
        {revision && <Fact label="Relayed in revision">{revision}</Fact>}
        <Fact label="Id">
          <span className="mono">{id}</span>
        </Fact>
      </Facts>
    </section>
  );
}

function Bodies({ exchange: { params, result, error } }: { exchange: ExchangeDetail }) {
  const bodies = useMemo(
    () => Object.entries({ Params: params, Result: result, Error: error }).filter(([, value]) => value !== undefined),
    [params, result, error],
  );
  return (
    <section className="card" aria-labelledby="bodies-title">
      <h2 id="bodies-title">Messages</h2>
      {bodies.length === 0 && (
        <Empty title="Not recorded">
          <p>
            Set <code>gateway.admin.bodies</code> to keep params and results, masked, in memory.
          </p>
        </Empty>
      )}
      {bodies.map(([name, value]) => (
        <div key={name} className="stack">
          <h3>{name}</h3>
          <JsonView label={name} value={value} />
        </div>
      ))}
    </section>
  );
}
