// The Prometheus gauges of the gateway's state.
import { type Aggregator, Counter, Gauge, type Registry } from "prom-client";
import type { GatewayView, SharedView, UpstreamView } from "./gateway-view.ts";

export interface StateMetrics {
  /** Sets all gauges to the values of this view. */
  follow(view: GatewayView): void;
}

export function createStateMetrics(registers: Registry[]): StateMetrics {
  const ofUpstreams = createUpstreamGauges(registers);
  const ofReplicas = createReplicaMetrics(registers);
  const sessionsLost = new Counter({
    registers,
    name: "lethe_sessions_lost_total",
    help: "Sessions of upstreams that lost their state, by cause",
    labelNames: ["upstream", "cause"],
  });
  return {
    follow({ upstreams, shared }) {
      for (const { gauge, read } of ofUpstreams) {
        gauge.reset();
        for (const upstream of upstreams) gauge.set({ upstream: upstream.name }, read(upstream));
      }
      sessionsLost.reset();
      for (const { name, sessionsLost: counts } of upstreams) {
        for (const [cause, count] of Object.entries(counts)) sessionsLost.inc({ upstream: name, cause }, count);
      }
      for (const { gauge, read } of ofReplicas.gauges) {
        if (shared) gauge.set(read(shared));
        else gauge.remove();
      }
      for (const { counter, read } of ofReplicas.counters) {
        counter.reset();
        counter.inc(shared ? read(shared) : 0);
      }
      ofReplicas.messages.reset();
      for (const [carrier, count] of Object.entries(shared?.messages ?? {}))
        ofReplicas.messages.inc({ carrier }, count);
      ofReplicas.handedOn.reset();
      for (const [reason, count] of Object.entries(shared?.placement?.handedOn ?? {}))
        ofReplicas.handedOn.inc({ reason }, count);
      ofReplicas.withRoom.reset();
      for (const [upstream, count] of Object.entries(shared?.placement?.replicasWithRoom ?? {}))
        ofReplicas.withRoom.set({ upstream }, count);
      ofReplicas.problems.reset();
      for (const { reason } of shared?.problems ?? []) ofReplicas.problems.set({ reason }, 1);
    },
  };
}

function createUpstreamGauges(registers: Registry[]) {
  const perUpstream = (name: string, help: string, read: (upstream: UpstreamView) => number) => {
    // Each worker of a gateway has its own sessions, but sees the same upstream.
    const isCount = !name.endsWith("_up") && !name.endsWith("_failures");
    const aggregator = isCount ? "sum" : "max";
    const gauge = new Gauge({ registers, name, help, labelNames: ["upstream"], aggregator });
    return { gauge, read };
  };
  return [
    // A stateless upstream has no connection that could be lost: only its failures show that it is down.
    perUpstream("lethe_upstream_up", "1 when the upstream answers", ({ state, failures }) =>
      state === "ready" && failures === 0 ? 1 : 0,
    ),
    perUpstream("lethe_upstream_failures", "Failures in a row", ({ failures }) => failures),
    perUpstream("lethe_sessions", "Open sessions or processes", ({ sessions }) => sessions),
    perUpstream(
      "lethe_waiting_requests",
      "Requests that wait for a session, a replica, a start or their turn",
      ({ waiting }) => waiting,
    ),
    perUpstream("lethe_pending_calls", "Calls that wait for an answer of their caller", ({ pending }) => pending),
    perUpstream("lethe_tasks", "Tasks that the gateway has made and that have not ended", ({ tasks }) => tasks),
  ];
}

/** A gateway without replicas has no values for these gauges. */
function createReplicaMetrics(registers: Registry[]) {
  const gauge = (name: string, help: string, read: (shared: SharedView) => number, aggregator: Aggregator = "max") => ({
    gauge: new Gauge({ registers, name, help, aggregator }),
    read,
  });
  const counter = (name: string, help: string, read: (shared: SharedView) => number) => ({
    counter: new Counter({ registers, name, help }),
    read,
  });
  return {
    problems: new Gauge({
      registers,
      name: "lethe_shared_problem",
      help: "1 for each problem that the shared store has now, by reason",
      labelNames: ["reason"],
      aggregator: "max",
    }),
    handedOn: new Counter({
      registers,
      name: "lethe_sessions_handed_on_total",
      help: "Requests handed to replicas with more room for a session, by reason: this one was draining, full or crowded",
      labelNames: ["reason"],
    }),
    withRoom: new Gauge({
      registers,
      name: "lethe_replicas_with_room",
      help: "Other replicas that have room for sessions",
      labelNames: ["upstream"],
      aggregator: "max",
    }),
    messages: new Counter({
      registers,
      name: "lethe_replica_messages_total",
      help: "Messages sent to other replicas, by what carried them: redis, or direct for a direct connection",
      labelNames: ["carrier"],
    }),
    gauges: [
      gauge("lethe_shared_up", "1 when the shared store is reachable", ({ isReached }) => (isReached ? 1 : 0), "min"),
      gauge("lethe_session_leases", "Sessions that this replica owns", ({ leases }) => leases, "sum"),
      gauge("lethe_replica_links", "Direct connections to other replicas", ({ links = 0 }) => links, "sum"),
      gauge("lethe_replicas", "Other replicas that are alive", ({ replicas }) => replicas),
      gauge(
        "lethe_lease_age_seconds",
        "Time since the last heartbeat that the shared store confirmed",
        ({ leaseAgeMs }) => leaseAgeMs / 1_000,
      ),
    ],
    counters: [
      counter("lethe_requests_forwarded_total", "Requests forwarded to other replicas", ({ sent }) => sent),
      counter("lethe_requests_received_total", "Requests received from other replicas", ({ received }) => received),
      counter("lethe_replicas_lost_total", "Other replicas that were lost", ({ replicasLost }) => replicasLost),
    ],
  };
}
