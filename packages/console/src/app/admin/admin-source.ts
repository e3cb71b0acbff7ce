// All data of the administration interface that the pages share: the client, the requests, and the state that the stream keeps current.
import { QueryClient } from "@tanstack/react-query";
import type {
  ChangedEvent,
  Exchange,
  GapEvent,
  Overview,
  SampledEvent,
  TickEvent,
  Upstream,
  UpstreamsEvent,
} from "./admin-api.ts";
import { type AdminClient, AdminError, createAdminClient } from "./admin-client.ts";
import { followEvents, type StreamState } from "./event-stream.ts";
import { createExchangeLog, type ExchangeLog } from "./exchange-log.ts";
import { SeriesGaps } from "./series-gaps.ts";
import { createStoredKey, type StoredKey } from "./stored-key.ts";
import { withRecent } from "./traffic.ts";

export interface StreamStatus {
  readonly state: StreamState;
  readonly problem?: string | undefined;
}

export interface AdminSource {
  readonly client: AdminClient;
  readonly key: StoredKey;
  readonly queries: QueryClient;
  readonly gaps: Pick<SeriesGaps, "complete">;
  readonly exchanges: ExchangeLog;
  readonly status: { get(): StreamStatus; subscribe(callback: () => void): () => void };
  /** Opens the stream again, with the key that is set now. */
  reconnect(): void;
}

const retriesOfQueries = 2;
/** New requests are drawn together, because a page with thousands of them a minute would otherwise only draw. */
const drawEveryMs = 60;

export function createAdminSource(base: string): AdminSource {
  const key = createStoredKey("lethe-admin-key", sessionStorage);
  const client = createAdminClient(base, key);
  const exchanges = createExchangeLog((callback) => setTimeout(callback, drawEveryMs));
  const queries = createQueries();
  const gaps = new SeriesGaps(queries);
  const callbacks = new Set<() => void>();
  let status: StreamStatus = { state: "connecting" };
  let stop = (): void => {};

  function onEvent(name: string, data: unknown): void {
    if (name === "exchange") exchanges.add(data as Exchange);
    else if (name === "gap") exchanges.addMissed((data as GapEvent).missed);
    else if (name === "sampled") exchanges.addLeftOut((data as SampledEvent).leftOut);
    else if (name === "replicas") queries.setQueryData(["replicas"], data);
    else if (name === "state") {
      queries.setQueryData(["overview"], data);
      // An earlier version of the gateway sends no `replicas`, during a rolling upgrade.
      gaps.included((data as Partial<Overview>).replicas ?? []);
    } else if (name === "tick") {
      gaps.ended(data as TickEvent);
      queries.setQueryData<Upstream[]>(["upstreams"], (known) => known && withRecent(known, data as TickEvent));
    } else if (name === "changed") {
      for (const list of (data as ChangedEvent).resources)
        void queries.invalidateQueries({ queryKey: ["admin", `/${list}`] });
    } else if (name === "upstreams") {
      const { upstreams, removed } = data as UpstreamsEvent;
      queries.setQueryData<Upstream[]>(["upstreams"], (known = []) => merge(known, upstreams, removed));
    }
  }

  function reconnect(): void {
    stop();
    stop = followEvents(client, "/events", {
      onEvent,
      onState(state, problem) {
        status = { state, problem };
        if (state === "live") gaps.opened();
        for (const callback of callbacks) callback();
      },
    });
  }

  key.subscribe(() => {
    reconnect();
    void queries.invalidateQueries();
  });
  reconnect();
  return {
    ...{ client, key, queries, gaps, exchanges, reconnect },
    status: {
      get: () => status,
      subscribe(callback) {
        callbacks.add(callback);
        return () => callbacks.delete(callback);
      },
    },
  };
}

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) =>
          count < retriesOfQueries && !(error instanceof AdminError && ["key", "forbidden"].includes(error.failure)),
        refetchOnWindowFocus: false,
        // It compares all of a thousand upstreams every second.
        structuralSharing: false,
      },
    },
  });
}

function merge(known: readonly Upstream[], changed: readonly Upstream[], removed: readonly string[]): Upstream[] {
  const byName = new Map(known.map((upstream) => [upstream.name, upstream]));
  for (const name of removed) byName.delete(name);
  for (const upstream of changed) byName.set(upstream.name, upstream);
  return [...byName.values()];
}
