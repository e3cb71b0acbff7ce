// Tasks: calls that continue after their response. One opens to its timeline.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Task, TaskDetail } from "../admin/admin-api.ts";
import { useAdminQuery } from "../admin/use-admin.ts";
import { formatClock } from "../format/durations.ts";
import { Badge, type Tone } from "../parts/badge.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { Empty, Failed, Loading } from "../parts/page-state.tsx";
import { AnswerDialog } from "./answer-dialog.tsx";
import { CancelDialog } from "./pending-calls.tsx";
import { Age } from "./sessions.tsx";

const tones: Readonly<Record<Task["status"], Tone>> = {
  working: "info",
  input_required: "warn",
  completed: "ok",
  failed: "bad",
  cancelled: "neutral",
};

const refreshMs = 1_000;

type Choice = { readonly task: Task; readonly does: "look" | "answer" | "cancel" };

export function Tasks({ tasks }: { tasks: readonly Task[] }) {
  const [choice, setChoice] = useState<Choice>();
  const close = () => setChoice(undefined);
  const path = choice && `/tasks/${encodeURIComponent(choice.task.id)}`;
  return (
    <>
      <DataTable
        label="Tasks"
        columns={toColumns(setChoice)}
        rows={tasks}
        rowKey={({ id, replica }) => `${replica} ${id}`}
        rowHeight={48}
        empty={
          <Empty title="No tasks">
            <p>A task appears here when a caller asks for one, or when a call takes longer than its caller waits.</p>
          </Empty>
        }
      />
      {path && choice.does === "look" && <TaskDialog task={choice.task} path={path} onClose={close} />}
      {path && choice.does === "answer" && (
        <AnswerDialog
          title={`Answer ${choice.task.tool}`}
          path={`${path}/answer`}
          inputs={choice.task.inputRequests ?? {}}
          onClose={close}
        />
      )}
      {path && choice.does === "cancel" && (
        <CancelDialog what={`the task of ${choice.task.tool}`} path={`${path}/cancel`} onClose={close} />
      )}
    </>
  );
}

function toColumns(onChoice: (choice: Choice) => void): Column<Task>[] {
  return [
    {
      ...{ id: "tool", header: "Tool", sortBy: ({ tool }) => tool },
      cell: (task) => (
        <div className="stack">
          <button type="button" className="link strong" onClick={() => onChoice({ task, does: "look" })}>
            {task.tool}
          </button>
          <span className="muted small wrap clamp clamp-2">{task.statusMessage ?? task.id}</span>
        </div>
      ),
    },
    {
      ...{ id: "status", header: "Status", sortBy: ({ status }) => status },
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      ...{ id: "upstream", header: "Upstream", priority: 2, sortBy: ({ upstream }) => upstream },
      cell: ({ upstream }) => (
        <Link to="/upstreams/$name" params={{ name: upstream }}>
          {upstream}
        </Link>
      ),
    },
    {
      ...{ id: "caller", header: "Caller", priority: 2, sortBy: ({ caller }) => caller ?? "" },
      cell: ({ caller }) => caller ?? "anonymous",
    },
    {
      ...{ id: "age", header: "Age", align: "end", priority: 2, sortBy: ({ since }) => -Date.parse(since) },
      cell: ({ since }) => <Age since={since} />,
    },
    {
      ...{ id: "actions", header: "Actions", align: "end" },
      cell: (task) => (
        <div className="row actions">
          {task.status === "input_required" && task.inputRequests && (
            <button type="button" className="button button-small" onClick={() => onChoice({ task, does: "answer" })}>
              Answer
            </button>
          )}
          {(task.status === "working" || task.status === "input_required") && (
            <button
              type="button"
              className="button button-small button-quiet"
              onClick={() => onChoice({ task, does: "cancel" })}
            >
              Cancel
            </button>
          )}
        </div>
      ),
    },
  ];
}

function StatusBadge({ status }: { status: string }) {
  return <Badge tone={tones[status as Task["status"]] ?? "neutral"}>{status.replace("_", " ")}</Badge>;
}

function TaskDialog({ task, path, onClose }: { task: Task; path: string; onClose: () => void }) {
  const { data, error } = useAdminQuery<TaskDetail>(path, refreshMs);
  const { status, caller, upstream, replica, since, expires } = data ?? task;
  return (
    <Dialog title={task.tool} isOpen onClose={onClose}>
      <Facts>
        <Fact label="Status">
          <StatusBadge status={status} />
        </Fact>
        <Fact label="Caller">{caller ?? "anonymous"}</Fact>
        <Fact label="Upstream">{upstream}</Fact>
        <Fact label="Replica">{replica}</Fact>
        <Fact label="Started">{formatClock(since)}</Fact>
        <Fact label="Kept until">{formatClock(expires)}</Fact>
      </Facts>
      <h3>Timeline</h3>
      {error && !data && <Failed title="This task is not kept any more" />}
      {!error && !data && <Loading label="Reading the timeline" />}
      {data && (
        <ol className="timeline">
          {data.timeline.map(({ time, status: then, message }) => (
            <li key={`${time} ${then} ${message}`}>
              <span className="event-time">{formatClock(time)}</span>
              <StatusBadge status={then} />
              <span className="wrap">{message}</span>
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}
