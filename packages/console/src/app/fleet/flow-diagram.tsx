// The live diagram: callers on the left, replicas in the middle, upstreams on the right. Lines are as wide as they are busy.
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useRef } from "react";
import type { TopologyAnswer, TopologyEdge, TopologyNode, Upstream } from "../admin/admin-api.ts";
import { formatCount } from "../format/numbers.ts";
import { useWidth } from "../parts/use-width.ts";
import { type FlowNode, toFlow } from "./flow.ts";

const rowHeight = 44;
const nodeHeight = 36;
/** A line of failed requests is visible even if they are few. */
const minFailingWidth = 1.5;
/** From this share of failed requests on, the number of a node is marked. */
const badShare = 0.05;

interface FlowDiagramProps {
  topology: TopologyAnswer;
  upstreams: readonly Upstream[];
}

export function FlowDiagram({ topology, upstreams }: FlowDiagramProps) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const flow = useMemo(() => toFlow(topology, upstreams), [topology, upstreams]);
  const rows = Math.max(flow.callers.length, flow.replicas.length, flow.upstreams.length, 1);
  const height = rows * rowHeight;
  const nodeWidth = Math.min(220, Math.max(84, width * 0.27));
  const lefts = [0, (width - nodeWidth) / 2, width - nodeWidth] as const;
  const columns = [flow.callers, flow.replicas, flow.upstreams];
  const places = new Map(
    columns.flatMap((nodes, column) =>
      nodes.map(({ id }, index) => [id, { left: lefts[column] ?? 0, middle: (height / nodes.length) * (index + 0.5) }]),
    ),
  );
  const nodeProps = (node: FlowNode) => {
    const { left, middle } = places.get(node.id) ?? { left: 0, middle: 0 };
    return { node, left, top: middle - nodeHeight / 2, width: nodeWidth };
  };

  return (
    <div className="flow" ref={host} style={{ height }}>
      <svg width={width} height={height} aria-hidden="true">
        {flow.edges.map((edge) => {
          const from = places.get(edge.from);
          const to = places.get(edge.to);
          if (!from || !to) return null;
          const path = toPath([from.left + nodeWidth, from.middle], [to.left, to.middle]);
          return <Edge key={`${edge.from} ${edge.to}`} edge={edge} path={path} />;
        })}
      </svg>
      <ul aria-label="Callers">
        {flow.callers.map((node) => (
          <Node key={node.id} {...nodeProps(node)} />
        ))}
      </ul>
      <ul aria-label="Replicas">
        {flow.replicas.map((node) => (
          <Node key={node.id} {...nodeProps(node)} isGate />
        ))}
      </ul>
      <ul aria-label="Upstreams">
        {flow.upstreams.map((node) => (
          <Node key={node.id} {...nodeProps(node)}>
            {node.tone && <span className={`dot dot-${node.tone}`} aria-hidden="true" />}
            {node.upstream === undefined ? (
              <span className="flow-label">{node.label}</span>
            ) : (
              <Link to="/upstreams/$name" params={{ name: node.upstream }}>
                {node.label}
              </Link>
            )}
          </Node>
        ))}
      </ul>
    </div>
  );
}

type Point = readonly [number, number];

function toPath(from: Point, to: Point): string {
  const bend = (to[0] - from[0]) / 2;
  return `M${from[0]} ${from[1]} C${from[0] + bend} ${from[1]} ${to[0] - bend} ${to[1]} ${to[0]} ${to[1]}`;
}

function Edge({ edge: { requests, errors }, path }: { edge: TopologyEdge; path: string }) {
  const width = Math.min(8, 1.5 + Math.sqrt(requests));
  return (
    <>
      <path className={requests === 0 ? "flow-quiet" : "flow-busy"} d={path} strokeWidth={width} />
      {errors > 0 && (
        <path className="flow-failing" d={path} strokeWidth={Math.max(minFailingWidth, (width * errors) / requests)} />
      )}
    </>
  );
}

interface NodeProps {
  left: number;
  top: number;
  width: number;
  node: TopologyNode;
  isGate?: boolean;
  children?: ReactNode;
}

function Node({ left, top, width, node, isGate = false, children }: NodeProps) {
  const { requests, errors, label } = node;
  return (
    <li className={isGate ? "flow-node flow-gate" : "flow-node"} style={{ left, top, width }} title={label}>
      <span className="flow-name">{children ?? <span className="flow-label">{label}</span>}</span>
      {requests > 0 && (
        <span className={errors >= badShare * requests ? "flow-rate bad" : "flow-rate"}>
          {formatCount(requests)}
          {errors > 0 && <span className="visually-hidden">, {formatCount(errors)} failed</span>}
        </span>
      )}
    </li>
  );
}
