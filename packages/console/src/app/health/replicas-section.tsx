// The replicas of the gateway, and how each works with the shared store.
import type { Replica, UnansweredReplica } from "../admin/admin-api.ts";
import { formatAge } from "../format/durations.ts";
import { formatBytes, formatCount } from "../format/numbers.ts";
import { Status } from "../parts/badge.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { useNow } from "../parts/use-now.ts";

export function ReplicasSection({
  replicas,
  unanswered,
}: {
  replicas: readonly Replica[];
  unanswered: readonly UnansweredReplica[];
}) {
  return (
    <section className="card card-flush" aria-labelledby="replicas-title">
      <div className="card-head">
        <h2 id="replicas-title">
          Replicas <span className="muted">{replicas.length + unanswered.length}</span>
        </h2>
      </div>
      {unanswered.map(({ replica, reason }) => (
        <p key={replica} className="banner banner-warn" role="alert">
          Without replica {replica}: {reason}
        </p>
      ))}
      <DataTable label="Replicas" columns={columns} rows={replicas} rowKey={({ id }) => id} rowHeight={48} />
    </section>
  );
}

const columns: readonly Column<Replica>[] = [
  {
    ...{ id: "id", header: "Replica", sortBy: ({ id }) => id },
    cell: ({ id, isSelf, version }) => (
      <div className="stack">
        <span className="mono strong">{id}</span>
        <span className="muted small">
          {version}
          {isSelf && " · serves this page"}
        </span>
      </div>
    ),
  },
  {
    ...{ id: "state", header: "State", sortBy: ({ state }) => state },
    cell: ({ state }) => <Status tone={state === "serving" ? "ok" : "warn"}>{state}</Status>,
  },
  { id: "store", header: "Shared store", priority: 2, cell: ({ shared }) => <Store shared={shared} /> },
  {
    ...{ id: "up", header: "Up", align: "end", priority: 2, sortBy: ({ started }) => -Date.parse(started) },
    cell: ({ started }) => <Up started={started} />,
  },
  {
    ...{ id: "sessions", header: "Sessions", align: "end", priority: 2, sortBy: ({ sessions }) => sessions },
    cell: ({ sessions }) => formatCount(sessions),
  },
  {
    ...{
      id: "pending",
      header: "Pending calls",
      align: "end",
      priority: 3,
      sortBy: ({ pendingCalls }) => pendingCalls,
    },
    cell: ({ pendingCalls }) => formatCount(pendingCalls),
  },
  {
    ...{ id: "requests", header: "Requests", align: "end", sortBy: ({ requests }) => requests },
    cell: ({ requests, errors }) => (
      <div className="stack">
        <span>{formatCount(requests)}</span>
        <span className={errors > 0 ? "bad small" : "muted small"}>{formatCount(errors)} failed</span>
      </div>
    ),
  },
  {
    ...{ id: "memory", header: "Held memory", align: "end", priority: 3, sortBy: ({ heldBytes }) => heldBytes },
    cell: ({ heldBytes }) => formatBytes(heldBytes),
  },
];

function Store({ shared }: { shared: Replica["shared"] }) {
  if (!shared) return <span className="muted">none: state is in this process</span>;
  const problems = shared.problems.map(({ text }) => text).join("; ");
  const tone = shared.isReached && problems === "" ? "ok" : "bad";
  return (
    <div className="stack">
      <Status tone={tone}>{shared.isCutOff ? "cut off" : shared.isReached ? "reached" : "not reached"}</Status>
      <span className="muted small wrap">
        {problems || `heartbeat ${shared.leaseAgeMs} ms ago, ${shared.leases} sessions owned`}
      </span>
    </div>
  );
}

function Up({ started }: { started: string }) {
  return <>{formatAge(useNow() - Date.parse(started))}</>;
}
