// Names the replicas whose part of the page is missing, and why.
import type { UnansweredReplica } from "../admin/admin-api.ts";

/** `replicas` is undefined in answers of a replica of an earlier version. */
export function Unanswered({ replicas = [] }: { replicas: readonly UnansweredReplica[] | undefined }) {
  if (replicas.length === 0) return null;
  return (
    <p className="banner banner-warn" role="alert">
      Incomplete, without {replicas.map(({ replica, reason }) => `replica ${replica} (${reason})`).join(", ")}.
    </p>
  );
}
