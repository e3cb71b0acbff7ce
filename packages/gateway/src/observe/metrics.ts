// What Prometheus reads: requests as they end, and the state of the gateway at the moment of reading.
import { method } from "@lethe/protocol";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { GatewayView, SharedView } from "./gateway-view.ts";
import type { RequestRecord } from "./request-record.ts";

export interface Metrics {
  observe(record: RequestRecord): void;
  /** A request that was turned away for its token, key, Host or Origin. */
  refused(): void;
  reloaded(outcome: "applied" | "refused"): void;
  readonly contentType: string;
  text(): Promise<string>;
}

const knownMethods: ReadonlySet<string> = new Set(Object.values(method));
const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** By default the loop's delay is sampled every 10 ms, which wakes an idle gateway a hundred times a second. */
const loopSampleMs = 200;

export function createMetrics(view: () => GatewayView): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs });
  const requests = new Counter({
    registers,
    name: "lethe_requests_total",
    help: "Requests that are done, by where they went and how they ended",
    labelNames: ["method", "upstream", "outcome"],
  });
  const durations = new Histogram({
    registers,
    name: "lethe_request_duration_seconds",
    help: "How long requests took; subscriptions are not counted",
    labelNames: ["method", "upstream"],
    buckets: seconds,
  });
  const refusals = new Counter({
    registers,
    name: "lethe_refused_total",
    help: "Requests turned away for their token, key, Host or Origin",
  });
  const reloads = new Counter({
    registers,
    name: "lethe_config_reloads_total",
    help: "Changes of the configuration, applied or refused",
    labelNames: ["outcome"],
  });
  addStateGauges(registers, view);
  addSharedMetrics(registers, view);

  return {
    observe({ method: requested, upstream = "", outcome, ms }) {
      // A label is kept for ever: it must not be what a stranger makes up.
      const label = knownMethods.has(requested) ? requested : "other";
      requests.inc({ method: label, upstream, outcome });
      if (requested !== method.listen) durations.observe({ method: label, upstream }, ms / 1_000);
    },
    refused: () => refusals.inc(),
    reloaded: (outcome) => reloads.inc({ outcome }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function addStateGauges(registers: Registry[], view: () => GatewayView): void {
  const perUpstream = (name: string, help: string, read: (upstream: GatewayView["upstreams"][number]) => number) =>
    new Gauge({
      registers,
      name,
      help,
      labelNames: ["upstream"],
      collect() {
        this.reset();
        for (const upstream of view().upstreams) this.set({ upstream: upstream.name }, read(upstream));
      },
    });
  perUpstream("lethe_upstream_up", "1 when the upstream answers", ({ state }) => (state === "ready" ? 1 : 0));
  perUpstream("lethe_upstream_failures", "Failures in a row", ({ failures }) => failures);
  perUpstream("lethe_sessions", "Open sessions or processes", ({ sessions }) => sessions);
  perUpstream("lethe_waiting_requests", "Requests that wait for a session or their turn", ({ waiting }) => waiting);
  perUpstream("lethe_parked_calls", "Calls that wait for an answer of their caller", ({ parked }) => parked);
  perUpstream("lethe_tasks", "Tasks that the gateway has made and that have not ended", ({ tasks }) => tasks);
}

/** Of a gateway that is alone there are none. */
function addSharedMetrics(registers: Registry[], view: () => GatewayView): void {
  const metric = (name: string, help: string, read: (shared: SharedView) => number) =>
    new Gauge({
      registers,
      name,
      help,
      collect() {
        const { shared } = view();
        if (shared) this.set(read(shared));
        else this.remove();
      },
    });
  metric("lethe_shared_up", "1 when what replicas share is in reach", ({ isReached }) => (isReached ? 1 : 0));
  metric("lethe_claims", "Sessions that this replica keeps, and the others know of", ({ claims }) => claims);
  metric("lethe_requests_sent_to_replicas", "Requests passed on since the start", ({ sent }) => sent);
  metric("lethe_requests_received_from_replicas", "Requests taken over since the start", ({ received }) => received);
}
