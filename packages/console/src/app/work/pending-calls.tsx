// Calls that wait for input of their caller. An operator can answer in the caller's place, or cancel.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { InputRequest, PendingCall } from "../admin/admin-api.ts";
import { formatAge } from "../format/durations.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Empty } from "../parts/page-state.tsx";
import { useNow } from "../parts/use-now.ts";
import { AnswerDialog } from "./answer-dialog.tsx";
import { Age } from "./sessions.tsx";
import { useAction } from "./use-action.ts";

type Choice = { readonly call: PendingCall; readonly does: "answer" | "cancel" };

export function PendingCalls({ calls }: { calls: readonly PendingCall[] }) {
  const [choice, setChoice] = useState<Choice>();
  return (
    <>
      <DataTable
        label="Pending calls"
        columns={toColumns(setChoice)}
        rows={calls}
        rowKey={({ id }) => id}
        rowHeight={48}
        empty={
          <Empty title="No call waits for input">
            <p>A call appears here while its upstream waits for an answer of the caller.</p>
          </Empty>
        }
      />
      {choice?.does === "answer" && (
        <AnswerDialog
          title={`Answer ${choice.call.name}`}
          path={`/pending-calls/${encodeURIComponent(choice.call.id)}/answer`}
          inputs={choice.call.inputRequests}
          onClose={() => setChoice(undefined)}
        />
      )}
      {choice?.does === "cancel" && (
        <CancelDialog
          what={`the call of ${choice.call.name}`}
          path={`/pending-calls/${encodeURIComponent(choice.call.id)}/cancel`}
          onClose={() => setChoice(undefined)}
        />
      )}
    </>
  );
}

function toColumns(onChoice: (choice: Choice) => void): Column<PendingCall>[] {
  return [
    {
      ...{ id: "name", header: "Call", sortBy: ({ name }) => name },
      cell: ({ name, inputRequests }) => (
        <div className="stack">
          <span className="strong wrap">{name}</span>
          <span className="muted small wrap">{questionOf(inputRequests)}</span>
        </div>
      ),
    },
    {
      ...{ id: "caller", header: "Caller", priority: 2, sortBy: ({ caller }) => caller ?? "" },
      cell: ({ caller }) => caller ?? "anonymous",
    },
    {
      ...{ id: "upstream", header: "Upstream", priority: 2, sortBy: ({ upstream }) => upstream },
      cell: ({ upstream, session }) => (
        <div className="stack">
          <Link to="/upstreams/$name" params={{ name: upstream }}>
            {upstream}
          </Link>
          <span className="mono muted">{session}</span>
        </div>
      ),
    },
    {
      ...{ id: "replica", header: "Replica", priority: 3, sortBy: ({ replica }) => replica },
      cell: ({ replica }) => <span className="mono">{replica}</span>,
    },
    {
      ...{ id: "age", header: "Waits for", align: "end", priority: 2, sortBy: ({ since }) => -Date.parse(since) },
      cell: ({ since, expires }) => (
        <div className="stack">
          <span>
            <Age since={since} />
          </span>
          <span className="muted small">
            <Expiry expires={expires} />
          </span>
        </div>
      ),
    },
    {
      ...{ id: "actions", header: "Actions", align: "end" },
      cell: (call) => (
        <div className="row actions">
          <button type="button" className="button button-small" onClick={() => onChoice({ call, does: "answer" })}>
            Answer
          </button>
          <button
            type="button"
            className="button button-small button-quiet"
            onClick={() => onChoice({ call, does: "cancel" })}
          >
            Cancel
          </button>
        </div>
      ),
    },
  ];
}

function questionOf(inputs: Readonly<Record<string, InputRequest>>): string {
  return Object.values(inputs)
    .map(({ method, params }) => (params as { message?: string } | undefined)?.message ?? method)
    .join("; ");
}

function Expiry({ expires }: { expires: string }) {
  return <>{formatAge(Date.parse(expires) - useNow())} left</>;
}

export function CancelDialog({ what, path, onClose }: { what: string; path: string; onClose: () => void }) {
  const { isBusy, problem, run } = useAction();
  return (
    <Dialog title="Cancel it?" isOpen onClose={onClose}>
      <p>The caller learns that {what} was cancelled. What the upstream did so far stays done.</p>
      {problem && (
        <p className="banner banner-bad" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
        <button
          type="button"
          className="button button-bad"
          disabled={isBusy}
          onClick={() => void run(path).then((isDone) => isDone && onClose())}
        >
          Cancel it
        </button>
      </div>
    </Dialog>
  );
}
