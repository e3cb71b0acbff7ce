// GET /admin/v1/upstreams, /upstreams/{name} and /upstreams/{name}/catalog.
import type { Era } from "@lethe/protocol";
import type { EraView } from "../../../upstreams/verdict/verdict.ts";
import type { Recent } from "../../observe/duration-counts.ts";
import type {
  FeaturesView,
  SessionView,
  UpstreamState,
  UpstreamView,
  VerdictView,
} from "../../observe/gateway-view.ts";
import type { ProcessView } from "../../observe/process-list.ts";
import { type FiguresHead, figuresMembers } from "./fleet.ts";
import { recent } from "./overview.ts";
import {
  component,
  type Described,
  flag,
  integer,
  json,
  list,
  type Members,
  object,
  oneOf,
  optional,
  orNull,
  record,
  text,
  time,
} from "./schema.ts";

export interface Upstream extends UpstreamView {
  readonly recent: Recent;
  /** The states with their replicas, the worst first. Absent where all replicas agree. */
  readonly states?: readonly StateAtReplicas[];
}

/** A state of an upstream, and the replicas that have it. */
export interface StateAtReplicas {
  /** absent: not in the configuration of these replicas. */
  readonly state: UpstreamState | "absent";
  readonly reason?: string;
  readonly replicas: readonly string[];
}

export interface UpstreamsAnswer extends FiguresHead {
  readonly upstreams: readonly Upstream[];
}

export interface UpstreamDetail extends Upstream, FiguresHead {
  /** The path of its own endpoint. */
  readonly endpoint: string;
  readonly openSessions: readonly FleetSession[];
  readonly processes: readonly FleetProcess[];
  readonly stderr: readonly string[];
}

export interface FleetSession extends SessionView {
  /** The replica that owns it. */
  readonly replica: string;
}

export interface FleetProcess extends ProcessView {
  /** The replica that started it. */
  readonly replica: string;
}

const states = ["starting", "ready", "idle", "failed"] as const satisfies readonly UpstreamState[];
export const era: Described<Era> = oneOf(["modern", "legacy"]);

const eraView: Described<EraView> = component(
  "EraView",
  object<EraView>({
    isSpoken: { ...orNull(flag(), "Null if nothing was learned") },
    word: text("STATELESS, STATEFUL or UNKNOWN"),
    revisions: list(text()),
    contract: optional(text()),
  }),
);

const verdict: Described<VerdictView> = component(
  "Verdict",
  object<VerdictView>(
    {
      word: text("STATELESS, STATEFUL or UNKNOWN, for the era that the gateway uses"),
      source: oneOf(["configuration", "probe", "connection"]),
      contract: optional(text("The kind of its sessions, in the terms of `lethe probe`")),
      transport: text(),
      eras: object<VerdictView["eras"]>({ modern: eraView, legacy: eraView }),
      features: object<FeaturesView>({
        server: optional(object<NonNullable<FeaturesView["server"]>>({ name: text(), version: text() })),
        capabilities: list(text()),
      }),
      evidence: list(
        text(),
        "The observations, in order. Empty in a list of upstreams, where another replica found the verdict",
      ),
      found: time(),
    },
    "The verdict on an upstream, and how it was found",
  ),
);

const statesAtReplicas: Described<StateAtReplicas> = component(
  "StateAtReplicas",
  object<StateAtReplicas>(
    {
      state: oneOf([...states, "absent"], "absent: not in the configuration of these replicas"),
      reason: optional(text("Why it failed")),
      replicas: list(text()),
    },
    "A state of an upstream, and the replicas that have it",
  ),
);

const members: Members<Upstream> = {
  name: text(),
  kind: oneOf(["stdio", "http", "memory", "openapi"]),
  target: text("The command line or the URL"),
  state: oneOf(
    states,
    "starting: not up yet. idle: starts on demand. failed: waits for a retry. Where replicas differ, the first of failed, starting, ready and idle",
  ),
  states: optional(list(statesAtReplicas, "The states with their replicas. Absent where all replicas agree")),
  reason: optional(text("Why it failed")),
  era: optional(era),
  revision: optional(text()),
  sharing: optional(text("How callers share it: shared, session or single")),
  because: optional(text("Why callers share it like this")),
  verdict: optional(verdict),
  affinity: optional(text("Which callers share a session")),
  use: optional(text("How the gateway uses it, in a few words")),
  warnings: list(text(), "What the verdict means for callers and operators"),
  problems: list(text(), "Why its lists are outdated or incomplete"),
  failures: integer("Consecutive failures, at the replica with most"),
  sessions: integer("Open sessions or processes, those that end included"),
  sessionsLost: record(integer(), "Sessions that lost their state since the start, by cause"),
  waiting: integer("Requests that wait for a session, a start or their turn"),
  pending: integer("Calls that wait for an answer of their caller"),
  tasks: integer(),
  tools: integer(),
  prompts: integer(),
  resources: integer(),
  recent,
};

export const upstream: Described<Upstream> = component("Upstream", object<Upstream>(members));

export const upstreamsAnswer: Described<UpstreamsAnswer> = component(
  "UpstreamsAnswer",
  object<UpstreamsAnswer>({
    ...figuresMembers,
    upstreams: list(upstream, "Those of the replica that answers, and then those that only others have"),
  }),
);

const sessionMembers: Members<SessionView> = {
  upstream: text(),
  id: text("The first characters of the session's id"),
  caller: optional(text()),
  isOwn: flag("Whether this is the gateway's own session"),
  since: time(),
  idleMs: integer("The time since the last request"),
  users: integer("Running requests, pending calls and resource subscriptions"),
  isEnding: flag("Whether it only finishes its running calls"),
};

export const session: Described<FleetSession> = component(
  "Session",
  object<FleetSession>({ ...sessionMembers, replica: text("The replica that owns it") }),
);

const upstreamProcess: Described<FleetProcess> = component(
  "UpstreamProcess",
  object<FleetProcess>(
    {
      replica: text("The replica that started it"),
      pid: integer(),
      started: time(),
      ended: optional(time("Absent while it runs")),
      rssBytes: optional(integer("Resident memory; absent where the system does not tell")),
    },
    "A running process of an upstream, or one of the last that ended",
  ),
);

export const upstreamDetail: Described<UpstreamDetail> = component(
  "UpstreamDetail",
  object<UpstreamDetail>({
    ...members,
    ...figuresMembers,
    endpoint: text("The path of its own endpoint"),
    openSessions: list(session, "The oldest open sessions of each replica, up to 1,000 of each. `sessions` counts all"),
    processes: list(upstreamProcess),
    stderr: list(text(), "The last lines it wrote to stderr. With several replicas, each begins with its replica"),
  }),
);

/** A tool, prompt, resource or resource template of an upstream. */
export interface CatalogItem {
  /** As the upstream names it: a name, a URI or a URI template. */
  readonly name: string;
  /** As callers of the merged endpoint name it. Absent for an item that is not offered there. */
  readonly publicName?: string;
  /** The length of its definition as JSON, in bytes. */
  readonly bytes: number;
  /** An estimate of the tokens that its definition costs a model: a quarter of its bytes. */
  readonly tokens: number;
  /** The definition as the endpoint of the upstream offers it. */
  readonly definition: unknown;
}

export interface CatalogAnswer {
  readonly replica: string;
  readonly upstream: string;
  readonly tools: readonly CatalogItem[];
  readonly prompts: readonly CatalogItem[];
  readonly resources: readonly CatalogItem[];
  readonly templates: readonly CatalogItem[];
  /** An estimate for all tools. */
  readonly toolTokens: number;
  /** The number of items left out because the answer would be too large. */
  readonly omitted: number;
  readonly problems: readonly string[];
}

const catalogItem: Described<CatalogItem> = component(
  "CatalogItem",
  object<CatalogItem>(
    {
      name: text("As the upstream names it: a name, a URI or a URI template"),
      publicName: optional(text("As callers of the merged endpoint name it; absent for an item not offered there")),
      bytes: integer("Length of its definition as JSON"),
      tokens: integer("Estimated cost of its definition for a model: a quarter of its bytes"),
      definition: json("As the endpoint of the upstream offers it"),
    },
    "A tool, prompt, resource or resource template",
  ),
);

export const catalogAnswer: Described<CatalogAnswer> = component(
  "CatalogAnswer",
  object<CatalogAnswer>({
    replica: text(),
    upstream: text(),
    tools: list(catalogItem),
    prompts: list(catalogItem),
    resources: list(catalogItem),
    templates: list(catalogItem),
    toolTokens: integer("An estimate for all tools"),
    omitted: integer("Items left out because the answer would be too large"),
    problems: list(text()),
  }),
);
