// The answers of the administration interface. Written by scripts/console-types.mjs from its OpenAPI document; do not edit.

/** A replica that did not answer in time, so that its items are missing. */
export interface UnansweredReplica {
  readonly replica: string;
  readonly reason: string;
}

/** Requests of the last minute, or of a step of the series. */
export interface Recent {
  readonly requests: number;
  /** Requests that failed or that the gateway rejected, but not errors of tools. */
  readonly errors: number;
  /** Median, in ms, over the requests of all replicas. */
  readonly p50: number | null;
  /** In ms. */
  readonly p95: number | null;
}

/** How this replica works with the others. */
export interface Shared {
  readonly replica: string;
  /** Whether the shared store answers. */
  readonly isReached: boolean;
  readonly problems: readonly {
    readonly reason: string;
    readonly text: string;
  }[];
  /** Whether other replicas reach the store and this one does not. */
  readonly isCutOff: boolean;
  /** Sessions that this replica owns. */
  readonly leases: number;
  /** Requests forwarded to other replicas since the start. */
  readonly sent: number;
  /** Requests received from other replicas since the start. */
  readonly received: number;
  /** Messages sent to other replicas, by what carried them. */
  readonly messages?: {
    readonly redis: number;
    readonly direct: number;
  };
  /** Direct connections to other replicas. */
  readonly links?: number;
  /** Other replicas that are alive. */
  readonly replicas: number;
  /** Other replicas that were lost since the start. */
  readonly replicasLost: number;
  /** Age of the last heartbeat that the store confirmed. */
  readonly leaseAgeMs: number;
  /** Where new sessions open. Absent if replicas do not know each other's room. */
  readonly placement?: {
    /** Requests handed to replicas with more room since the start, by reason. */
    readonly handedOn: Readonly<Record<string, number>>;
    /** Other replicas that have room for sessions, by upstream. */
    readonly replicasWithRoom: Readonly<Record<string, number>>;
  };
}

/** The state of the replica that answers, with the figures of all replicas in `upstreams`, `sessions`, `pendingCalls`, `tasks`, `total` and `recent`. */
export interface Overview {
  readonly name: string;
  readonly version: string;
  /** The replica that answers. What is no figure is its own. */
  readonly replica: string;
  /** The replicas whose figures are included, the one that answers first. */
  readonly replicas: readonly string[];
  /** Replicas that did not answer in time, or of another version. Their figures are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  readonly state: "starting" | "serving" | "draining" | "stopped";
  readonly started: string;
  readonly upSeconds: number;
  readonly listening: {
    /** The merged endpoint. */
    readonly url: string;
    readonly adminUrl: string;
  };
  readonly features: {
    /** Whether callers authenticate. */
    readonly auth: boolean;
    readonly policy: boolean;
    /** Whether bodies are recorded (`admin.bodies`). */
    readonly bodies: boolean;
    /** Whether replicas share a store. */
    readonly replicas: boolean;
  };
  readonly upstreams: {
    readonly starting: number;
    readonly ready: number;
    readonly idle: number;
    readonly failed: number;
  };
  readonly sessions: number;
  readonly pendingCalls: number;
  readonly tasks: number;
  /** Since the start of each replica that answers. */
  readonly total: {
    readonly requests: number;
    readonly errors: number;
  };
  readonly recent: Recent;
  readonly memory: {
    /** Bytes held for callers and upstreams, by kind. */
    readonly held: Readonly<Record<string, number>>;
    readonly heldBytes: number;
    /** Above this, new requests are refused. */
    readonly softBytes: number;
    /** Above this, the largest holdings are dropped. */
    readonly hardBytes: number;
  };
  /** The files of the configuration. */
  readonly files: readonly string[];
  /** Notes on the configuration. */
  readonly notes: readonly string[];
  /** What verdicts mean for callers and operators. */
  readonly warnings: readonly string[];
  readonly shared?: Shared;
}

/** One value per step, the oldest first. */
export interface Series {
  readonly requests: readonly number[];
  readonly errors: readonly number[];
  /** Median duration in ms; null without a request. */
  readonly p50: readonly (number | null)[];
  /** In ms. */
  readonly p95: readonly (number | null)[];
}

export interface SeriesAnswer {
  /** The replica that answers. What is no figure is its own. */
  readonly replica: string;
  /** The replicas whose figures are included, the one that answers first. */
  readonly replicas: readonly string[];
  /** Replicas that did not answer in time, or of another version. Their figures are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  readonly stepSeconds: number;
  /** When the newest step began. It is still being filled. */
  readonly newest: string;
  readonly gateway: Series;
  /** Upstreams without a request in this time are absent. */
  readonly upstreams: Readonly<Record<string, Series>>;
}

/** A state of an upstream, and the replicas that have it. */
export interface StateAtReplicas {
  /** absent: not in the configuration of these replicas. */
  readonly state: "starting" | "ready" | "idle" | "failed" | "absent";
  /** Why it failed. */
  readonly reason?: string;
  readonly replicas: readonly string[];
}

export interface EraView {
  /** Null if nothing was learned. */
  readonly isSpoken: boolean | null;
  /** STATELESS, STATEFUL or UNKNOWN. */
  readonly word: string;
  readonly revisions: readonly string[];
  readonly contract?: string;
}

/** The verdict on an upstream, and how it was found. */
export interface Verdict {
  /** STATELESS, STATEFUL or UNKNOWN, for the era that the gateway uses. */
  readonly word: string;
  readonly source: "configuration" | "probe" | "connection";
  /** The kind of its sessions, in the terms of `lethe probe`. */
  readonly contract?: string;
  readonly transport: string;
  readonly eras: {
    readonly modern: EraView;
    readonly legacy: EraView;
  };
  readonly features: {
    readonly server?: {
      readonly name: string;
      readonly version: string;
    };
    readonly capabilities: readonly string[];
  };
  /** The observations, in order. Empty in a list of upstreams, where another replica found the verdict. */
  readonly evidence: readonly string[];
  readonly found: string;
}

export interface Upstream {
  readonly name: string;
  readonly kind: "stdio" | "http" | "memory" | "openapi";
  /** The command line or the URL. */
  readonly target: string;
  /** starting: not up yet. idle: starts on demand. failed: waits for a retry. Where replicas differ, the first of failed, starting, ready and idle. */
  readonly state: "starting" | "ready" | "idle" | "failed";
  /** The states with their replicas. Absent where all replicas agree. */
  readonly states?: readonly StateAtReplicas[];
  /** Why it failed. */
  readonly reason?: string;
  readonly era?: "modern" | "legacy";
  readonly revision?: string;
  /** How callers share it: shared, session or single. */
  readonly sharing?: string;
  /** Why callers share it like this. */
  readonly because?: string;
  readonly verdict?: Verdict;
  /** Which callers share a session. */
  readonly affinity?: string;
  /** How the gateway uses it, in a few words. */
  readonly use?: string;
  /** What the verdict means for callers and operators. */
  readonly warnings: readonly string[];
  /** Why its lists are outdated or incomplete. */
  readonly problems: readonly string[];
  /** Consecutive failures, at the replica with most. */
  readonly failures: number;
  /** Open sessions or processes, those that end included. */
  readonly sessions: number;
  /** Sessions that lost their state since the start, by cause. */
  readonly sessionsLost: Readonly<Record<string, number>>;
  /** Requests that wait for a session, a start or their turn. */
  readonly waiting: number;
  /** Calls that wait for an answer of their caller. */
  readonly pending: number;
  readonly tasks: number;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly recent: Recent;
}

export interface UpstreamsAnswer {
  /** The replica that answers. What is no figure is its own. */
  readonly replica: string;
  /** The replicas whose figures are included, the one that answers first. */
  readonly replicas: readonly string[];
  /** Replicas that did not answer in time, or of another version. Their figures are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** Those of the replica that answers, and then those that only others have. */
  readonly upstreams: readonly Upstream[];
}

export interface Session {
  readonly upstream: string;
  /** The first characters of the session's id. */
  readonly id: string;
  readonly caller?: string;
  /** Whether this is the gateway's own session. */
  readonly isOwn: boolean;
  readonly since: string;
  /** The time since the last request. */
  readonly idleMs: number;
  /** Running requests, pending calls and resource subscriptions. */
  readonly users: number;
  /** Whether it only finishes its running calls. */
  readonly isEnding: boolean;
  /** The replica that owns it. */
  readonly replica: string;
}

/** A running process of an upstream, or one of the last that ended. */
export interface UpstreamProcess {
  /** The replica that started it. */
  readonly replica: string;
  readonly pid: number;
  readonly started: string;
  /** Absent while it runs. */
  readonly ended?: string;
  /** Resident memory; absent where the system does not tell. */
  readonly rssBytes?: number;
}

export interface UpstreamDetail {
  readonly name: string;
  readonly kind: "stdio" | "http" | "memory" | "openapi";
  /** The command line or the URL. */
  readonly target: string;
  /** starting: not up yet. idle: starts on demand. failed: waits for a retry. Where replicas differ, the first of failed, starting, ready and idle. */
  readonly state: "starting" | "ready" | "idle" | "failed";
  /** The states with their replicas. Absent where all replicas agree. */
  readonly states?: readonly StateAtReplicas[];
  /** Why it failed. */
  readonly reason?: string;
  readonly era?: "modern" | "legacy";
  readonly revision?: string;
  /** How callers share it: shared, session or single. */
  readonly sharing?: string;
  /** Why callers share it like this. */
  readonly because?: string;
  readonly verdict?: Verdict;
  /** Which callers share a session. */
  readonly affinity?: string;
  /** How the gateway uses it, in a few words. */
  readonly use?: string;
  /** What the verdict means for callers and operators. */
  readonly warnings: readonly string[];
  /** Why its lists are outdated or incomplete. */
  readonly problems: readonly string[];
  /** Consecutive failures, at the replica with most. */
  readonly failures: number;
  /** Open sessions or processes, those that end included. */
  readonly sessions: number;
  /** Sessions that lost their state since the start, by cause. */
  readonly sessionsLost: Readonly<Record<string, number>>;
  /** Requests that wait for a session, a start or their turn. */
  readonly waiting: number;
  /** Calls that wait for an answer of their caller. */
  readonly pending: number;
  readonly tasks: number;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly recent: Recent;
  /** The replica that answers. What is no figure is its own. */
  readonly replica: string;
  /** The replicas whose figures are included, the one that answers first. */
  readonly replicas: readonly string[];
  /** Replicas that did not answer in time, or of another version. Their figures are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** The path of its own endpoint. */
  readonly endpoint: string;
  /** The oldest open sessions of each replica, up to 1,000 of each. `sessions` counts all. */
  readonly openSessions: readonly Session[];
  readonly processes: readonly UpstreamProcess[];
  /** The last lines it wrote to stderr. With several replicas, each begins with its replica. */
  readonly stderr: readonly string[];
}

/** A tool, prompt, resource or resource template. */
export interface CatalogItem {
  /** As the upstream names it: a name, a URI or a URI template. */
  readonly name: string;
  /** As callers of the merged endpoint name it; absent for an item not offered there. */
  readonly publicName?: string;
  /** Length of its definition as JSON. */
  readonly bytes: number;
  /** Estimated cost of its definition for a model: a quarter of its bytes. */
  readonly tokens: number;
  /** As the endpoint of the upstream offers it. */
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
  /** Items left out because the answer would be too large. */
  readonly omitted: number;
  readonly problems: readonly string[];
}

/** Patterns of the upstream's own names. */
export interface NameFilter {
  readonly allow?: readonly string[];
  /** Takes precedence over `allow`. */
  readonly deny?: readonly string[];
}

/** A rule applies if all of its members match. */
export interface PolicyRule {
  readonly effect: "allow" | "deny";
  /** Patterns of caller ids. */
  readonly callers?: readonly string[];
  /** The caller must have all of these scopes. */
  readonly scopes?: readonly string[];
  readonly methods?: readonly string[];
  readonly upstreams?: readonly string[];
  /** Patterns of the upstream's own names of tools. */
  readonly tools?: readonly string[];
  readonly prompts?: readonly string[];
  readonly resources?: readonly string[];
}

/** An endpoint over several upstreams. */
export interface Endpoint {
  readonly path: string;
  /** The URL that clients use. */
  readonly url: string;
  /** The name in `endpoints` of the configuration. Absent for the merged endpoint of all upstreams. */
  readonly name?: string;
  /** The upstreams that it merges. */
  readonly upstreams: readonly string[];
  /** Offered tools. */
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly toolFilter?: NameFilter;
  /** The first rule that matches decides. Those of the merged endpoint apply to all others too. */
  readonly policy?: readonly PolicyRule[];
}

export interface EndpointsAnswer {
  readonly replica: string;
  /** The merged endpoint first. */
  readonly endpoints: readonly Endpoint[];
}

export interface TopologyNode {
  /** `caller:ID`, `replica:ID` or `upstream:NAME`. `caller:` is callers without identity, `caller:*` those beyond the limit. */
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

/** Who sends requests through which replica to which upstream. */
export interface TopologyAnswer {
  /** The replica that answers. */
  readonly replica: string;
  /** Replicas that did not answer in time. Their items are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** Items left out, because a replica answers with a limited number of them. */
  readonly omitted: number;
  /** The length of the time that is counted. */
  readonly seconds: number;
  readonly callers: readonly TopologyNode[];
  readonly replicas: readonly TopologyNode[];
  readonly upstreams: readonly TopologyNode[];
  readonly edges: readonly TopologyEdge[];
}

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
  /** Its duration. */
  readonly ms: number;
  /** The result's `resultType`, `tool_error` for a tool's own error, `rejected` by the gateway, or `error`. */
  readonly outcome: string;
  /** The JSON-RPC error code. */
  readonly code?: number;
  /** Why it failed between the gateway and the upstream. */
  readonly reason?: string;
  readonly detail?: string;
  /** Why it failed at another replica. */
  readonly replicaFailure?: string;
  /** The later revision in which it was relayed to the upstream. */
  readonly revision?: string;
  /** Whether its steps were recorded, which the gateway does while an administrator looks. */
  readonly hasSteps: boolean;
}

export interface ExchangesAnswer {
  /** The replica that answers. */
  readonly replica: string;
  /** Replicas that did not answer in time. Their items are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** Items left out, because a replica answers with a limited number of them. */
  readonly omitted: number;
  /** The newest first. */
  readonly exchanges: readonly Exchange[];
}

/** One step of an exchange. */
export interface Step {
  /** ms since the request arrived. */
  readonly at: number;
  /** `caller`, `replica:ID` or `upstream:NAME`. */
  readonly from: string;
  /** `caller`, `replica:ID` or `upstream:NAME`. */
  readonly to: string;
  /** forward: to the replica that owns the session. wait: the request is held, or waits for its session. input: input requests, which make the call pending. answer: the answers to them. */
  readonly kind: "request" | "response" | "error" | "forward" | "wait" | "input" | "answer";
  /** What happened, in a few words. */
  readonly label: string;
  readonly method?: string;
  readonly era?: "modern" | "legacy";
  readonly revision?: string;
  readonly transport?: string;
  /** The first characters of the id of the upstream's session. */
  readonly session?: string;
  /** The HTTP headers of the message by lower-case name, without credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The HTTP status of a response. */
  readonly status?: number;
  /** The message, masked. Present with `admin.bodies`. */
  readonly body?: unknown;
}

export interface ExchangeDetail {
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
  /** Its duration. */
  readonly ms: number;
  /** The result's `resultType`, `tool_error` for a tool's own error, `rejected` by the gateway, or `error`. */
  readonly outcome: string;
  /** The JSON-RPC error code. */
  readonly code?: number;
  /** Why it failed between the gateway and the upstream. */
  readonly reason?: string;
  readonly detail?: string;
  /** Why it failed at another replica. */
  readonly replicaFailure?: string;
  /** The later revision in which it was relayed to the upstream. */
  readonly revision?: string;
  /** Whether its steps were recorded, which the gateway does while an administrator looks. */
  readonly hasSteps: boolean;
  readonly steps: readonly Step[];
  /** Steps beyond the limit, which were not recorded. */
  readonly stepsOmitted: number;
  /** The request's params, masked. Present with `admin.bodies`. */
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  /** The other exchanges of the same call, the oldest first. */
  readonly related: readonly Exchange[];
}

export interface SessionsAnswer {
  /** The replica that answers. */
  readonly replica: string;
  /** Replicas that did not answer in time. Their items are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** Items left out, because a replica answers with a limited number of them. */
  readonly omitted: number;
  readonly sessions: readonly Session[];
}

export interface InputRequest {
  readonly method: string;
  /** Masked. Of an elicitation: `message` and `requestedSchema`. */
  readonly params?: unknown;
}

export interface PendingCall {
  /** Names the call in the administration. It gives no access to the call. */
  readonly id: string;
  /** As in Exchange. */
  readonly call?: string;
  /** The replica that owns it. */
  readonly replica: string;
  readonly upstream: string;
  /** As in Session. */
  readonly session: string;
  readonly caller?: string;
  readonly method: string;
  /** The tool, prompt or resource, as the caller named it. */
  readonly name: string;
  /** The methods of its input requests. */
  readonly asks: readonly string[];
  /** By key, as an answer names them. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  readonly since: string;
  readonly expires: string;
}

export interface PendingCallsAnswer {
  /** The replica that answers. */
  readonly replica: string;
  /** Replicas that did not answer in time. Their items are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** Items left out, because a replica answers with a limited number of them. */
  readonly omitted: number;
  readonly pendingCalls: readonly PendingCall[];
}

export interface Task {
  /** Names the task in the administration. It gives no access to the task. */
  readonly id: string;
  /** The replica that runs it. */
  readonly replica: string;
  readonly upstream: string;
  /** The upstream's own name of the tool. */
  readonly tool: string;
  readonly caller?: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  /** The last progress of the call. */
  readonly statusMessage?: string;
  readonly since: string;
  readonly updated: string;
  readonly expires: string;
  /** By key, as an answer names them. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
}

export interface TasksAnswer {
  /** The replica that answers. */
  readonly replica: string;
  /** Replicas that did not answer in time. Their items are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** Items left out, because a replica answers with a limited number of them. */
  readonly omitted: number;
  readonly tasks: readonly Task[];
}

export interface Done {
  readonly isDone: boolean;
  readonly message: string;
}

export interface AnswerBody {
  /** By the key of the input request, as a caller sends them in `inputResponses`. */
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface TaskEvent {
  readonly time: string;
  readonly status: string;
  readonly message?: string;
}

export interface TaskDetail {
  /** Names the task in the administration. It gives no access to the task. */
  readonly id: string;
  /** The replica that runs it. */
  readonly replica: string;
  readonly upstream: string;
  /** The upstream's own name of the tool. */
  readonly tool: string;
  readonly caller?: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  /** The last progress of the call. */
  readonly statusMessage?: string;
  readonly since: string;
  readonly updated: string;
  readonly expires: string;
  /** By key, as an answer names them. */
  readonly inputRequests?: Readonly<Record<string, InputRequest>>;
  /** The oldest first. */
  readonly timeline: readonly TaskEvent[];
  /** Earlier events that are no longer kept. */
  readonly timelineOmitted: number;
}

export interface Replica {
  readonly id: string;
  /** Whether it is the replica that answers. */
  readonly isSelf: boolean;
  readonly version: string;
  readonly state: string;
  readonly started: string;
  readonly sessions: number;
  readonly pendingCalls: number;
  readonly tasks: number;
  /** Since its start. */
  readonly requests: number;
  /** Since its start. */
  readonly errors: number;
  /** Memory held for callers and upstreams. */
  readonly heldBytes: number;
  readonly shared?: Shared;
}

/** A limit of this replica and its use. */
export interface LimitUse {
  /** The setting, such as `pendingCalls.max`. */
  readonly name: string;
  readonly what: string;
  readonly unit: "count" | "bytes";
  readonly limit: number;
  readonly used: number;
  readonly upstream?: string;
}

export interface HealthProblem {
  readonly source: "configuration" | "upstream" | "shared store";
  readonly upstream?: string;
  readonly text: string;
}

export interface Health {
  /** The replica that answers. */
  readonly replica: string;
  /** Replicas that did not answer in time. Their items are missing. */
  readonly unanswered: readonly UnansweredReplica[];
  /** Items left out, because a replica answers with a limited number of them. */
  readonly omitted: number;
  readonly isReady: boolean;
  /** As `/readyz` says it. */
  readonly readiness: string;
  readonly replicas: readonly Replica[];
  readonly limits: readonly LimitUse[];
  readonly problems: readonly HealthProblem[];
}

export interface ConfigChange {
  /** Names members and places in lists, such as `settings.limits.maxTools`. */
  readonly path: string;
  /** Absent for an addition. Masked. */
  readonly before?: unknown;
  /** Absent for a removal. Masked. A changed secret shows the mask on both sides. */
  readonly after?: unknown;
}

/** What a reload would do now. */
export interface ConfigChanges {
  /** False if the files have problems. A reload then changes nothing. */
  readonly isValid: boolean;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly changes: readonly ConfigChange[];
  /** Changes beyond the limit of the list. */
  readonly omitted: number;
  readonly upstreams: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  /** Changed settings that only a restart applies. */
  readonly needsRestart: readonly string[];
}

export interface ReloadOutcome {
  readonly isApplied: boolean;
  readonly problems: readonly string[];
  /** Settings for which the workers are replaced, one by one, after this answer. Absent if there are none. */
  readonly replacing?: readonly string[];
}

/** Upstreams that changed since the last such event of the stream; all of them in the first one. */
export interface UpstreamsEvent {
  readonly upstreams: readonly Upstream[];
  readonly removed: readonly string[];
}

/** Exchanges that the client missed because they are no longer kept. */
export interface GapEvent {
  readonly missed: number;
  /** The replica whose exchanges are missing. */
  readonly replica: string;
}

/** Exchanges that were counted and not recorded: of more than 20 a second, the gateway records a fair sample. */
export interface SampledEvent {
  /** Their number since the last such event, without regard to filters. */
  readonly leftOut: number;
  readonly replica: string;
}

/** The replicas whose exchanges the stream carries. */
export interface ReplicasEvent {
  /** The replica that sends the stream, and then the others. */
  readonly replicas: readonly string[];
  /** Replicas that do not answer. Their exchanges follow when they do. */
  readonly unanswered: readonly UnansweredReplica[];
}

/** The requests of a step that has ended, at all replicas. Upstreams without requests are absent. */
export interface TickEvent {
  readonly time: string;
  readonly stepSeconds: number;
  readonly gateway: Recent;
  readonly upstreams: Readonly<Record<string, Recent>>;
  /** Upstreams with requests in the last minute, and those requests. */
  readonly recent: Readonly<Record<string, Recent>>;
}

/** Lists that changed, so that a client knows what to read again. */
export interface ChangedEvent {
  readonly resources: readonly ("sessions" | "pending-calls" | "tasks")[];
}

/** An entry of the log, requests excepted. */
export interface LogEvent {
  readonly time: string;
  readonly level: "info" | "warn" | "error";
  /** The kind of event, such as `upstream.failed`. */
  readonly event: string;
  readonly message: string;
  /** Further members of the entry, masked. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The body of an answer with status 4xx or 5xx. */
export interface Problem {
  /** What went wrong and what to do. */
  readonly error: string;
}
