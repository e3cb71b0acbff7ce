// The sessions that the gateway holds at upstreams, with their owners.
import { Link } from "@tanstack/react-router";
import type { Session } from "../admin/admin-api.ts";
import { formatAge } from "../format/durations.ts";
import { Status } from "../parts/badge.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/page-state.tsx";
import { useNow } from "../parts/use-now.ts";

const columns: readonly Column<Session>[] = [
  {
    ...{ id: "upstream", header: "Upstream", sortBy: ({ upstream }) => upstream },
    cell: ({ upstream, id }) => (
      <div className="stack">
        <Link to="/upstreams/$name" params={{ name: upstream }} className="strong">
          {upstream}
        </Link>
        <span className="mono muted">{id}</span>
      </div>
    ),
  },
  {
    ...{ id: "owner", header: "Used for", sortBy: ({ isOwn, caller }) => (isOwn ? "" : (caller ?? "anonymous")) },
    cell: ({ isOwn, caller }) => (isOwn ? "the gateway itself" : (caller ?? "anonymous callers")),
  },
  {
    ...{ id: "state", header: "State", priority: 2 },
    cell: ({ isEnding, users }) =>
      isEnding ? (
        <Status tone="warn">ending</Status>
      ) : users > 0 ? (
        <Status tone="ok">in use</Status>
      ) : (
        <Status tone="neutral">idle</Status>
      ),
  },
  {
    ...{ id: "users", header: "Requests", align: "end", priority: 2, sortBy: ({ users }) => users },
    cell: ({ users }) => users,
  },
  {
    ...{ id: "age", header: "Age", align: "end", sortBy: ({ since }) => -Date.parse(since) },
    cell: ({ since }) => <Age since={since} />,
  },
  {
    ...{ id: "idle", header: "Last used", align: "end", priority: 2, sortBy: ({ idleMs }) => idleMs },
    cell: ({ idleMs, users }) => (users > 0 ? "now" : `${formatAge(idleMs)} ago`),
  },
  {
    ...{ id: "replica", header: "Replica", priority: 3, sortBy: ({ replica }) => replica },
    cell: ({ replica }) => <span className="mono">{replica}</span>,
  },
];

export function Sessions({ sessions }: { sessions: readonly Session[] }) {
  return (
    <DataTable
      label="Sessions"
      columns={columns}
      rows={sessions}
      rowKey={({ upstream, id, replica }) => `${upstream} ${id} ${replica}`}
      rowHeight={48}
      empty={
        <Empty title="No sessions">
          <p>Sessions begin when a caller uses a server that keeps state.</p>
        </Empty>
      }
    />
  );
}

export function Age({ since }: { since: string }) {
  return <>{formatAge(useNow() - Date.parse(since))}</>;
}
