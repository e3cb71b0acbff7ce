// The processes and sessions of an upstream.
import type { Session, UpstreamDetail, UpstreamProcess } from "../admin/admin-api.ts";
import { formatAge } from "../format/durations.ts";
import { formatBytes } from "../format/numbers.ts";
import { Status } from "../parts/badge.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/page-state.tsx";
import { useNow } from "../parts/use-now.ts";

export function ProcessesSection({ upstream }: { upstream: UpstreamDetail }) {
  // An earlier version of the gateway sends no `replicas`, during a rolling upgrade.
  const { kind, processes, openSessions, replicas = [] } = upstream;
  const hasReplicas = replicas.length > 1;
  return (
    <div className="columns">
      {kind === "stdio" && (
        <section className="card card-flush" aria-labelledby="processes-title">
          <div className="card-head">
            <h2 id="processes-title">Processes</h2>
          </div>
          <DataTable
            label="Processes"
            columns={hasReplicas ? withReplica(processColumns, "memory") : processColumns}
            rows={processes}
            rowKey={({ replica, pid, started }) => `${replica} ${pid} ${started}`}
            empty={<Empty title="No process was started yet" />}
          />
        </section>
      )}
      <section className="card card-flush" aria-labelledby="sessions-title">
        <div className="card-head">
          <h2 id="sessions-title">Sessions</h2>
        </div>
        <DataTable
          label="Sessions"
          columns={hasReplicas ? withReplica(sessionColumns, "idle") : sessionColumns}
          rows={openSessions}
          rowKey={({ replica, id, since }) => `${replica} ${id} ${since}`}
          empty={<Empty title="No open session" />}
        />
      </section>
    </div>
  );
}

const replicaColumn: Column<{ readonly replica: string }> = {
  ...{ id: "replica", header: "Replica", sortBy: ({ replica }) => replica },
  cell: ({ replica }) => <span className="mono">{replica}</span>,
};

/** On a phone there is no room for five columns: the replica takes the place of the one that is named. */
function withReplica<Row extends { readonly replica: string }>(
  columns: readonly Column<Row>[],
  replaced: string,
): Column<Row>[] {
  const others = columns.map((column) => (column.id === replaced ? ({ ...column, priority: 2 } as const) : column));
  return [...others, replicaColumn];
}

const processColumns: readonly Column<UpstreamProcess>[] = [
  { id: "pid", header: "Process", cell: ({ pid }) => <span className="mono">{pid}</span> },
  {
    ...{ id: "state", header: "State" },
    cell: ({ ended }) =>
      ended === undefined ? <Status tone="ok">running</Status> : <Status tone="neutral">ended</Status>,
  },
  { id: "memory", header: "Memory", align: "end", cell: ({ rssBytes }) => (rssBytes ? formatBytes(rssBytes) : "–") },
  { id: "age", header: "Ran for", align: "end", cell: (process) => <RunTime process={process} /> },
];

const sessionColumns: readonly Column<Session>[] = [
  { id: "id", header: "Session", cell: ({ id }) => <span className="mono">{id}</span> },
  {
    id: "caller",
    header: "Used for",
    cell: ({ isOwn, caller }) => (isOwn ? "the gateway itself" : (caller ?? "anonymous")),
  },
  {
    ...{ id: "state", header: "State" },
    cell: ({ isEnding, users }) => (
      <Status tone={isEnding ? "warn" : users > 0 ? "ok" : "neutral"}>
        {isEnding ? "ending" : users > 0 ? "in use" : "idle"}
      </Status>
    ),
  },
  {
    id: "idle",
    header: "Last used",
    align: "end",
    cell: ({ idleMs, users }) => (users > 0 ? "now" : `${formatAge(idleMs)} ago`),
  },
];

function RunTime({ process: { started, ended } }: { process: UpstreamProcess }) {
  const now = useNow();
  return <>{formatAge((ended === undefined ? now : Date.parse(ended)) - Date.parse(started))}</>;
}
