// Names the replicas that do not answer, so that their part of the page is missing.
import type { UnansweredReplica } from "../admin/admin-api.ts";

export function Unanswered({ replicas }: { replicas: readonly UnansweredReplica[] }) {
  if (replicas.length === 0) return null;
  return (
    <p className="banner banner-warn" role="alert">
      Incomplete: {replicas.map(({ replica, reason }) => `replica ${replica} (${reason})`).join(", ")} did not answer.
    </p>
  );
}
