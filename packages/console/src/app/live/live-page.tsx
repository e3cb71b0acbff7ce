// Requests as they happen: filter them, hold the list still, open one.
import { Link, useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { type MouseEvent, memo, useMemo, useState } from "react";
import type { Exchange } from "../admin/admin-api.ts";
import { useAdmin, useExchanges, useOverview, useUnanswered, useUpstreams } from "../admin/use-admin.ts";
import { formatClock, formatDuration } from "../format/durations.ts";
import { formatAmount, formatCount } from "../format/numbers.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Empty } from "../parts/page-state.tsx";
import { Unanswered } from "../parts/unanswered.tsx";
import { type LiveFilter, select } from "./live-filter.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";

export function LivePage() {
  const filter = useSearch({ from: "/live" });
  const { exchanges: log } = useAdmin();
  const [held, setHeld] = useState<readonly Exchange[]>();
  const all = useExchanges();
  const source = held ?? all;
  const shown = useMemo(() => select(source, filter), [source, filter]);
  const hasReplicas = useOverview()?.features.replicas === true;
  const unanswered = useUnanswered();
  const open = useOpen();
  const columns = useMemo(() => toColumns(hasReplicas, open), [hasReplicas, open]);
  const newer = held ? all.filter(({ time }) => time > (held.at(-1)?.time ?? "")).length : 0;
  return (
    <>
      <PageHeader
        title="Live"
        hint={`${formatCount(shown.length)} of ${formatAmount(source.length, "request")}${log.missed > 0 ? `, ${formatCount(log.missed)} missed` : ""}`}
      >
        {held && newer > 0 && <span className="muted small">{formatCount(newer)} newer</span>}
        <button
          type="button"
          className="button"
          aria-pressed={held !== undefined}
          onClick={() => setHeld(held ? undefined : all)}
        >
          {held ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
          {held ? "Resume" : "Pause"}
        </button>
      </PageHeader>
      <Unanswered replicas={unanswered} />
      {log.sample && (
        <p className="banner">
          This is a fair sample, with more of the failed ones: {formatCount(log.sample.shown)} of{" "}
          {formatCount(log.sample.received)} requests a second. Counts and charts include all of them.
        </p>
      )}
      <section className="card card-flush live" aria-label="Requests">
        <Filters filter={filter} />
        <DataTable
          label="Requests"
          columns={columns}
          rows={shown}
          rowKey={({ id }) => id}
          rowHeight={37}
          empty={
            source.length === 0 ? (
              <Empty title="No requests yet">
                <p>
                  Requests appear here as soon as a client calls the gateway. <Link to="/playground">Call a tool</Link>{" "}
                  to see one.
                </p>
              </Empty>
            ) : (
              <Empty title="No request matches the filter" />
            )
          }
        />
      </section>
    </>
  );
}

/** Changes less often than the requests, and has an option for each upstream. */
const Filters = memo(function Filters({ filter }: { filter: LiveFilter }) {
  const navigate = useNavigate();
  // The upstreams change every second, and their names hardly ever.
  const names = (useUpstreams() ?? []).map(({ name }) => name).join("\n");
  function set(change: { readonly [name in keyof LiveFilter]: string }): void {
    const next = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined && value !== "");
    void navigate({ to: "/live", search: Object.fromEntries(next), replace: true });
  }
  return (
    <div className="card-head live-filters">
      <input
        type="search"
        className="filter"
        aria-label="Filter requests"
        placeholder="Method, tool or caller"
        value={filter.q ?? ""}
        onChange={(event) => set({ q: event.target.value })}
      />
      <div className="row">
        <label className="inline">
          <span className="muted small">Upstream</span>
          <select value={filter.upstream ?? ""} onChange={(event) => set({ upstream: event.target.value })}>
            <option value="">all</option>
            <UpstreamOptions names={names} />
          </select>
        </label>
        <label className="inline">
          <span className="muted small">Outcome</span>
          <select value={filter.outcome ?? ""} onChange={(event) => set({ outcome: event.target.value })}>
            <option value="">all</option>
            <option value="failed">failed</option>
            <option value="input_required">asks for input</option>
            <option value="complete">complete</option>
          </select>
        </label>
      </div>
    </div>
  );
});

const UpstreamOptions = memo(function UpstreamOptions({ names }: { names: string }) {
  return names.split("\n").map((name) => name !== "" && <option key={name}>{name}</option>);
});

interface Open {
  hrefOf(id: string): string;
  follow(event: MouseEvent, id: string): void;
}

/** A link of the router computes its target each time it is drawn, and this page draws a hundred of them a second. */
function useOpen(): Open {
  const navigate = useNavigate();
  const { basepath } = useRouter();
  return useMemo(
    () => ({
      hrefOf: (id) => `${basepath}/live/${id}`,
      follow(event, id) {
        const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
        if (!isPlain) return;
        event.preventDefault();
        void navigate({ to: "/live/$id", params: { id } });
      },
    }),
    [navigate, basepath],
  );
}

function toColumns(hasReplicas: boolean, open: Open): Column<Exchange>[] {
  const columns: Column<Exchange>[] = [
    {
      ...{ id: "time", header: "Time", priority: 2 },
      cell: ({ time }) => <span className="mono">{formatClock(time)}</span>,
    },
    {
      ...{ id: "request", header: "Request" },
      cell: ({ id, method, name }) => (
        <a href={open.hrefOf(id)} onClick={(event) => open.follow(event, id)} className="row-link">
          <span className="strong">{name ?? method}</span>
          {name !== undefined && <span className="muted small"> {method}</span>}
        </a>
      ),
    },
    {
      ...{ id: "outcome", header: "Outcome" },
      cell: ({ outcome, code }) => <OutcomeBadge outcome={outcome} code={code} />,
    },
    { id: "upstream", header: "Upstream", priority: 2, cell: ({ upstream }) => upstream ?? "–" },
    { id: "caller", header: "Caller", priority: 3, cell: ({ caller }) => caller ?? "anonymous" },
    {
      ...{ id: "replica", header: "Replica", priority: 3 },
      cell: ({ replica }) => <span className="mono">{replica}</span>,
    },
    { id: "ms", header: "Time taken", align: "end", priority: 2, cell: ({ ms }) => formatDuration(ms) },
  ];
  return columns.filter(({ id }) => id !== "replica" || hasReplicas);
}
