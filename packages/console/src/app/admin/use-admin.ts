// Hooks that give pages the shared data of the administration interface.
import { useQuery } from "@tanstack/react-query";
import { createContext, useContext, useSyncExternalStore } from "react";
import type {
  Endpoint,
  EndpointsAnswer,
  Exchange,
  Overview,
  ReplicasEvent,
  SeriesAnswer,
  UnansweredReplica,
  Upstream,
} from "./admin-api.ts";
import type { AdminSource, StreamStatus } from "./admin-source.ts";
import { seriesKey } from "./series-gaps.ts";
import type { FollowedSeries } from "./traffic.ts";

export const AdminContext: React.Context<AdminSource | undefined> = createContext<AdminSource | undefined>(undefined);

export function useAdmin(): AdminSource {
  const source = useContext(AdminContext);
  if (!source) throw new Error("this page needs the administration interface");
  return source;
}

export function useStreamStatus(): StreamStatus {
  const { status } = useAdmin();
  return useSyncExternalStore(status.subscribe, status.get);
}

/** The requests received so far, oldest first. */
export function useExchanges(): readonly Exchange[] {
  const { exchanges } = useAdmin();
  return useSyncExternalStore(exchanges.subscribe, () => exchanges.snapshot);
}

/** The stream keeps it current, so it is never fetched. Undefined until the stream has begun. */
export function useOverview(): Overview | undefined {
  return useQuery<Overview>({ queryKey: ["overview"], enabled: false }).data;
}

/** As useOverview. */
export function useUpstreams(): readonly Upstream[] | undefined {
  return useQuery<Upstream[]>({ queryKey: ["upstreams"], enabled: false }).data;
}

/** The replicas whose requests are missing, because they do not answer. */
export function useUnanswered(): readonly UnansweredReplica[] {
  return useQuery<ReplicasEvent>({ queryKey: ["replicas"], enabled: false }).data?.unanswered ?? [];
}

/** A reload of the configuration may change them. */
const endpointsEveryMs = 10_000;

/** The merged endpoint, and then the named ones. Undefined until they are read. */
export function useEndpoints(): readonly Endpoint[] | undefined {
  return useAdminQuery<EndpointsAnswer>("/endpoints", endpointsEveryMs).data?.endpoints;
}

/** The series of the last ten minutes. The stream continues it. */
export function useSeries(): FollowedSeries | undefined {
  const { client, gaps } = useAdmin();
  return useQuery<FollowedSeries>({
    queryKey: seriesKey,
    queryFn: async ({ signal }) => gaps.complete(await client.get<SeriesAnswer>("/series", signal)),
  }).data;
}

/** Reads a path of the interface, and again every `everyMs`. */
export function useAdminQuery<T>(path: string, everyMs?: number, enabled = true): ReturnType<typeof useQuery<T>> {
  const { client } = useAdmin();
  return useQuery<T>({
    enabled,
    queryKey: ["admin", path],
    queryFn: ({ signal }) => client.get<T>(path, signal),
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}
