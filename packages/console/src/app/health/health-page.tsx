// Whether the gateway is well: readiness, problems, replicas and their store, limits, and what a reload would change.
import type { Health, HealthProblem } from "../admin/admin-api.ts";
import { useAdminQuery } from "../admin/use-admin.ts";
import { Badge } from "../parts/badge.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Failed, Fine, Loading } from "../parts/page-state.tsx";
import { ConfigSection } from "./config-section.tsx";
import { LimitsSection } from "./limits-section.tsx";
import { ReplicasSection } from "./replicas-section.tsx";

const refreshMs = 3_000;

export function HealthPage() {
  const { data: health, error } = useAdminQuery<Health>("/health", refreshMs);
  if (error && !health) {
    return (
      <Failed title="The health of the gateway cannot be read">
        <p>{error.message}</p>
      </Failed>
    );
  }
  if (!health) return <Loading label="Reading the health" />;
  return (
    <>
      <PageHeader title="Health" hint={health.isReady ? "Replicas, limits and configuration" : health.readiness}>
        <Badge tone={health.isReady ? "ok" : "bad"}>{health.isReady ? "ready" : "not ready"}</Badge>
      </PageHeader>
      <Problems problems={health.problems} />
      <ReplicasSection replicas={health.replicas} unanswered={health.unanswered} />
      <ConfigSection />
      <LimitsSection limits={health.limits} />
    </>
  );
}

function Problems({ problems }: { problems: readonly HealthProblem[] }) {
  return (
    <section className="card" aria-labelledby="problems-title">
      <h2 id="problems-title">Problems</h2>
      {problems.length === 0 ? (
        <Fine>No problems</Fine>
      ) : (
        <ul className="problems">
          {problems.map(({ source, upstream, text }) => (
            <li key={`${source} ${upstream} ${text}`}>
              <Badge tone={source === "shared store" ? "bad" : "warn"}>{upstream ?? source}</Badge>
              <span className="wrap">{text}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
