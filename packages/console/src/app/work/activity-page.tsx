// What the gateway holds between requests: sessions at upstreams, calls that wait for input, running tasks.
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { PendingCallsAnswer, SessionsAnswer, TasksAnswer } from "../admin/admin-api.ts";
import { useAdminQuery } from "../admin/use-admin.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Loading } from "../parts/page-state.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Unanswered } from "../parts/unanswered.tsx";
import { PendingCalls } from "./pending-calls.tsx";
import { Sessions } from "./sessions.tsx";
import { Tasks } from "./tasks.tsx";

const refreshMs = 3_000;

export function ActivityPage() {
  const { tab = "sessions" } = useSearch({ from: "/activity" });
  const navigate = useNavigate();
  const sessions = useAdminQuery<SessionsAnswer>("/sessions", refreshMs).data;
  const pending = useAdminQuery<PendingCallsAnswer>("/pending-calls", refreshMs).data;
  const tasks = useAdminQuery<TasksAnswer>("/tasks", refreshMs).data;
  const unanswered = [sessions, pending, tasks].find((answer) => answer && answer.unanswered.length > 0)?.unanswered;
  return (
    <>
      <PageHeader title="Activity" hint="What the gateway holds between requests" />
      {unanswered && <Unanswered replicas={unanswered} />}
      <section className="card card-flush" aria-label="Activity">
        <Tabs
          label="Activity"
          selected={tab}
          onSelect={(next) => void navigate({ to: "/activity", search: { tab: next as typeof tab }, replace: true })}
          items={[
            {
              ...{ id: "sessions", name: "Sessions", count: sessions?.sessions.length },
              content: sessions ? <Sessions sessions={sessions.sessions} /> : <Loading />,
            },
            {
              ...{ id: "pending", name: "Pending", count: pending?.pendingCalls.length },
              content: pending ? <PendingCalls calls={pending.pendingCalls} /> : <Loading />,
            },
            {
              ...{ id: "tasks", name: "Tasks", count: tasks?.tasks.length },
              content: tasks ? <Tasks tasks={tasks.tasks} /> : <Loading />,
            },
          ]}
        />
      </section>
    </>
  );
}
