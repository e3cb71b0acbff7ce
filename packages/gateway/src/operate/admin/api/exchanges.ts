// GET /admin/v1/exchanges, /exchanges/{id} and /topology.
import type { RecordedStep } from "../../../calls/step-recorder.ts";
import { type FleetAnswer, fleetMembers } from "./fleet.ts";
import {
  component,
  type Described,
  flag,
  integer,
  json,
  list,
  type Members,
  number,
  object,
  oneOf,
  optional,
  record,
  text,
  time,
} from "./schema.ts";
import { era } from "./upstreams.ts";

/** A finished request of a caller. */
export interface Exchange {
  /** Unique among all replicas. */
  readonly id: string;
  /** The rounds of a call with input requests have the same one. It gives no access to the call. */
  readonly call?: string;
  /** The replica that received it from its caller. */
  readonly replica: string;
  /** When it arrived. */
  readonly time: string;
  /** The path of the endpoint. */
  readonly endpoint: string;
  readonly method: string;
  /** The tool, prompt or resource, as the caller named it. */
  readonly name?: string;
  readonly upstream?: string;
  readonly caller?: string;
  readonly ms: number;
  /** The result's `resultType`, "tool_error" for a tool's own error, "rejected" by the gateway, or "error". */
  readonly outcome: string;
  readonly code?: number;
  readonly reason?: string;
  readonly detail?: string;
  readonly replicaFailure?: string;
  /** The later revision in which it was relayed to the upstream. */
  readonly revision?: string;
  /** Whether its steps were recorded, which the gateway does while an administrator looks. */
  readonly hasSteps: boolean;
}

export interface ExchangeDetail extends Exchange {
  readonly steps: readonly RecordedStep[];
  /** The number of steps beyond the limit, which were not recorded. */
  readonly stepsOmitted: number;
  /** The request's params, masked. Present with `admin.bodies`. */
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  /** The other exchanges of the same call, the oldest first. */
  readonly related: readonly Exchange[];
}

export interface ExchangesAnswer extends FleetAnswer {
  /** The newest first. */
  readonly exchanges: readonly Exchange[];
}

const exchangeMembers: Members<Exchange> = {
  id: text("Unique among all replicas"),
  call: optional(text("The rounds of a call with input requests have the same one. It gives no access to the call")),
  replica: text("The replica that received it from its caller"),
  time: time("When it arrived"),
  endpoint: text("The path of the endpoint"),
  method: text(),
  name: optional(text("The tool, prompt or resource, as the caller named it")),
  upstream: optional(text()),
  caller: optional(text()),
  ms: number("Its duration"),
  outcome: text(
    "The result's `resultType`, `tool_error` for a tool's own error, `rejected` by the gateway, or `error`",
  ),
  code: optional(integer("The JSON-RPC error code")),
  reason: optional(text("Why it failed between the gateway and the upstream")),
  detail: optional(text()),
  replicaFailure: optional(text("Why it failed at another replica")),
  revision: optional(text("The later revision in which it was relayed to the upstream")),
  hasSteps: flag("Whether its steps were recorded, which the gateway does while an administrator looks"),
};

export const exchange: Described<Exchange> = component("Exchange", object<Exchange>(exchangeMembers));

const stepKinds = ["request", "response", "error", "forward", "wait", "input", "answer"] as const;
const stepMeanings =
  "forward: to the replica that owns the session. wait: the request is held, or waits for its session. input: input requests, which make the call pending. answer: the answers to them";

export const exchangesAnswer: Described<ExchangesAnswer> = component(
  "ExchangesAnswer",
  object<ExchangesAnswer>({ ...fleetMembers, exchanges: list(exchange, "The newest first") }),
);

const step: Described<RecordedStep> = component(
  "Step",
  object<RecordedStep>(
    {
      at: number("ms since the request arrived"),
      from: text("`caller`, `replica:ID` or `upstream:NAME`"),
      to: text("`caller`, `replica:ID` or `upstream:NAME`"),
      kind: oneOf(stepKinds, stepMeanings),
      label: text("What happened, in a few words"),
      method: optional(text()),
      era: optional(era),
      revision: optional(text()),
      transport: optional(text()),
      session: optional(text("The first characters of the id of the upstream's session")),
      headers: optional(record(text(), "The HTTP headers of the message by lower-case name, without credentials")),
      status: optional(integer("The HTTP status of a response")),
      body: optional(json("The message, masked. Present with `admin.bodies`")),
    },
    "One step of an exchange",
  ),
);

export const exchangeDetail: Described<ExchangeDetail> = component(
  "ExchangeDetail",
  object<ExchangeDetail>({
    ...exchangeMembers,
    steps: list(step),
    stepsOmitted: integer("Steps beyond the limit, which were not recorded"),
    params: optional(json("The request's params, masked. Present with `admin.bodies`")),
    result: optional(json()),
    error: optional(json()),
    related: list(exchange, "The other exchanges of the same call, the oldest first"),
  }),
);

/** Who sends requests through which replica to which upstream. */
export interface TopologyAnswer extends FleetAnswer {
  /** The length of the time that is counted. */
  readonly seconds: number;
  readonly callers: readonly TopologyNode[];
  readonly replicas: readonly TopologyNode[];
  readonly upstreams: readonly TopologyNode[];
  /** Between `caller:ID` and `replica:ID`, and between `replica:ID` and `upstream:NAME`. */
  readonly edges: readonly TopologyEdge[];
}

export interface TopologyNode {
  /** `caller:ID`, `replica:ID` or `upstream:NAME`. `caller:` is callers without identity, and `caller:*` those beyond the limit. */
  readonly id: string;
  readonly label: string;
  readonly requests: number;
  readonly errors: number;
}

export interface TopologyEdge {
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  readonly errors: number;
}

const node: Described<TopologyNode> = component(
  "TopologyNode",
  object<TopologyNode>({
    id: text(
      "`caller:ID`, `replica:ID` or `upstream:NAME`. `caller:` is callers without identity, `caller:*` those beyond the limit",
    ),
    label: text(),
    requests: integer(),
    errors: integer(),
  }),
);

const edge: Described<TopologyEdge> = component(
  "TopologyEdge",
  object<TopologyEdge>({ from: text(), to: text(), requests: integer(), errors: integer() }),
);

export const topologyAnswer: Described<TopologyAnswer> = component(
  "TopologyAnswer",
  object<TopologyAnswer>(
    {
      ...fleetMembers,
      seconds: number("The length of the time that is counted"),
      callers: list(node),
      replicas: list(node),
      upstreams: list(node),
      edges: list(edge),
    },
    "Who sends requests through which replica to which upstream",
  ),
);
