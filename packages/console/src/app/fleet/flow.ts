// The diagram of callers, replicas and upstreams as nodes and lines: few enough to read, and with the upstreams that nothing calls.
import type { TopologyAnswer, TopologyEdge, TopologyNode, Upstream } from "../admin/admin-api.ts";
import type { Tone } from "../parts/badge.tsx";
import { toStateSummary } from "./upstream-state.ts";

export interface FlowNode extends TopologyNode {
  /** The name of the upstream, for a node that is one. */
  readonly upstream?: string;
  readonly tone?: Tone;
}

export interface Flow {
  readonly callers: readonly FlowNode[];
  readonly replicas: readonly FlowNode[];
  readonly upstreams: readonly FlowNode[];
  readonly edges: readonly TopologyEdge[];
}

/** More nodes would not be readable. The rest is one node. */
const maxNodes = 7;

export function toFlow(topology: TopologyAnswer, upstreams: readonly Upstream[]): Flow {
  const called = new Map(topology.upstreams.map((node) => [node.id, node]));
  const all = upstreams.map((upstream): FlowNode => {
    const { name } = upstream;
    const id = `upstream:${name}`;
    return {
      ...(called.get(id) ?? { id, label: name, requests: 0, errors: 0 }),
      upstream: name,
      tone: toStateSummary(upstream).tone,
    };
  });
  const shownCallers = busiest(topology.callers.map(withCallerLabel), "caller", "more callers");
  const shownUpstreams = busiest(all, "upstream", "more upstreams");
  const callers = shownCallers.nodes.length > 0 ? shownCallers.nodes : [noCallers];
  const [first] = topology.replicas;
  const toQuietEdge = (from: string | undefined, to: string) =>
    from === undefined ? [] : [{ from, to, requests: 0, errors: 0 }];
  const quiet = [
    ...upstreams.flatMap((upstream) => toQuietEdge(findOwner(upstream, topology), `upstream:${upstream.name}`)),
    ...(first && callers[0] === noCallers ? toQuietEdge(noCallers.id, first.id) : []),
  ];
  const edges = mergeEdges(
    [...quiet, ...topology.edges],
    (id) => shownCallers.rest.get(id) ?? shownUpstreams.rest.get(id) ?? id,
  );
  return { callers, replicas: topology.replicas, upstreams: shownUpstreams.nodes, edges };
}

/** The first replica that has the upstream. */
function findOwner({ states = [] }: Upstream, { replicas }: TopologyAnswer): string | undefined {
  const absent = states.find(({ state }) => state === "absent")?.replicas ?? [];
  return replicas.find(({ label }) => !absent.includes(label))?.id;
}

const noCallers: FlowNode = { id: "caller:none", label: "no callers", requests: 0, errors: 0 };

function withCallerLabel(node: TopologyNode): FlowNode {
  if (node.id === "caller:") return { ...node, label: "anonymous" };
  return node.id === "caller:*" ? { ...node, label: "other callers" } : node;
}

/** `rest` maps the ids of nodes that are not shown to the node that stands for them. */
function busiest(nodes: readonly FlowNode[], kind: string, noun: string) {
  const sorted = [...nodes].sort((a, b) => b.requests - a.requests);
  if (sorted.length <= maxNodes) return { nodes: [...nodes], rest: new Map<string, string>() };
  const id = `${kind}:more`;
  const rest = sorted.slice(maxNodes - 1);
  const total = (member: "requests" | "errors") => rest.reduce((sum, node) => sum + node[member], 0);
  const others: FlowNode = {
    id,
    label: `${rest.length} ${noun}`,
    requests: total("requests"),
    errors: total("errors"),
  };
  return { nodes: [...sorted.slice(0, maxNodes - 1), others], rest: new Map(rest.map((node) => [node.id, id])) };
}

function mergeEdges(edges: readonly TopologyEdge[], shownAs: (id: string) => string): TopologyEdge[] {
  const merged = new Map<string, TopologyEdge>();
  for (const { from, to, requests, errors } of edges) {
    const edge = { from: shownAs(from), to: shownAs(to) };
    const key = `${edge.from} ${edge.to}`;
    const known = merged.get(key);
    merged.set(key, {
      ...edge,
      requests: requests + (known?.requests ?? 0),
      errors: errors + (known?.errors ?? 0),
    });
  }
  return [...merged.values()];
}
