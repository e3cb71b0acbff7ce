// The operations of the administration API: paths, parameters and answers. Routes and the OpenAPI document come from this table.
import { type EndpointsAnswer, endpointsAnswer } from "./endpoints.ts";
import { eventData } from "./events.ts";
import {
  type ExchangeDetail,
  type ExchangesAnswer,
  exchangeDetail,
  exchangesAnswer,
  type TopologyAnswer,
  topologyAnswer,
} from "./exchanges.ts";
import { type ConfigChanges, configChanges, type Health, health, type ReloadOutcome, reloadOutcome } from "./health.ts";
import { type Overview, overview, type SeriesAnswer, seriesAnswer } from "./overview.ts";
import { type Described, json, merge } from "./schema.ts";
import {
  type CatalogAnswer,
  catalogAnswer,
  type UpstreamDetail,
  type UpstreamsAnswer,
  upstreamDetail,
  upstreamsAnswer,
} from "./upstreams.ts";
import {
  answerBody,
  type Done,
  done,
  type PendingCallsAnswer,
  pendingCallsAnswer,
  type SessionsAnswer,
  sessionsAnswer,
  type TaskDetail,
  type TasksAnswer,
  taskDetail,
  tasksAnswer,
} from "./work.ts";

export interface Operation<Answer> {
  readonly verb: "GET" | "POST";
  /** Below `/admin/v1`, with `{name}` for one step of the path. */
  readonly path: string;
  readonly summary: string;
  readonly query?: readonly QueryParameter[];
  readonly body?: Described<unknown>;
  /** The body of the answer. */
  readonly answer: Described<Answer>;
  /** Statuses besides 200, and those of every operation. */
  readonly statuses?: readonly Status[];
}

export interface QueryParameter {
  readonly name: string;
  readonly type: "string" | "integer";
  readonly description: string;
}

/** The answer of each operation, by the operation's name. */
export interface AdminAnswers {
  readonly overview: Overview;
  readonly series: SeriesAnswer;
  readonly upstreams: UpstreamsAnswer;
  readonly upstream: UpstreamDetail;
  readonly catalog: CatalogAnswer;
  readonly endpoints: EndpointsAnswer;
  readonly topology: TopologyAnswer;
  readonly exchanges: ExchangesAnswer;
  readonly exchange: ExchangeDetail;
  readonly sessions: SessionsAnswer;
  readonly pendingCalls: PendingCallsAnswer;
  readonly tasks: TasksAnswer;
  readonly answerPendingCall: Done;
  readonly cancelPendingCall: Done;
  readonly task: TaskDetail;
  readonly answerTask: Done;
  readonly cancelTask: Done;
  readonly health: Health;
  readonly config: unknown;
  readonly configChanges: ConfigChanges;
  readonly reload: ReloadOutcome;
}

export type OperationName = keyof AdminAnswers;

export type Status = 404 | 409 | 422 | 503;

export const exchangeQuery: readonly QueryParameter[] = [
  { name: "upstream", type: "string", description: "Only requests to this upstream" },
  { name: "caller", type: "string", description: "Only requests of this caller" },
  { name: "method", type: "string", description: "Only requests of this method" },
  { name: "outcome", type: "string", description: "Only requests with this outcome" },
];

const replica: QueryParameter = {
  name: "replica",
  type: "string",
  description: "The replica to ask, by the first characters of its id. Default: the one that receives the request",
};

const catalogReplica: QueryParameter = {
  ...replica,
  description: `${replica.description}, or one that has the upstream where that one does not`,
};

const onlyReplica: QueryParameter = {
  ...replica,
  description:
    "Only the figures of this replica, by the first characters of its id. Default: the sum over all replicas",
};

const exchangePages: readonly QueryParameter[] = [
  { name: "limit", type: "integer", description: "At most this many of each replica. Default 100, maximum 500" },
  { name: "call", type: "string", description: "Only the rounds of this call" },
];

export const operations: { readonly [K in OperationName]: Operation<AdminAnswers[K]> } = {
  overview: {
    verb: "GET",
    path: "/overview",
    query: [onlyReplica],
    summary: "The state of the gateway, with the figures of all replicas",
    answer: overview,
  },
  series: {
    verb: "GET",
    path: "/series",
    summary: "Requests, errors and durations of all replicas over the last ten minutes",
    query: [
      { name: "upstream", type: "string", description: "Only this upstream" },
      { name: "points", type: "integer", description: "The number of steps. Default and maximum 60" },
      onlyReplica,
    ],
    answer: seriesAnswer,
  },
  upstreams: {
    verb: "GET",
    path: "/upstreams",
    summary: "The upstreams, with the figures of all replicas and their states",
    query: [onlyReplica],
    answer: upstreamsAnswer,
  },
  upstream: {
    verb: "GET",
    path: "/upstreams/{name}",
    summary: "An upstream with its sessions, its processes and the end of its stderr, at all replicas",
    query: [onlyReplica],
    answer: upstreamDetail,
    statuses: [404],
  },
  catalog: {
    verb: "GET",
    path: "/upstreams/{name}/catalog",
    summary: "What an upstream offers, with an estimate of the tokens of each tool",
    query: [catalogReplica],
    answer: catalogAnswer,
    statuses: [404],
  },
  endpoints: {
    verb: "GET",
    path: "/endpoints",
    summary: "The merged endpoint and the named ones, with their upstreams, tool filters and policies",
    query: [replica],
    answer: endpointsAnswer,
  },
  topology: {
    verb: "GET",
    path: "/topology",
    summary: "Callers, replicas and upstreams, and the requests between them",
    answer: topologyAnswer,
  },
  exchanges: {
    verb: "GET",
    path: "/exchanges",
    summary: "The last requests of all replicas, the newest first",
    query: [...exchangePages, ...exchangeQuery],
    answer: exchangesAnswer,
  },
  exchange: {
    verb: "GET",
    path: "/exchanges/{id}",
    summary: "One request, step by step",
    answer: exchangeDetail,
    statuses: [404, 503],
  },
  sessions: { verb: "GET", path: "/sessions", summary: "The open sessions with upstreams", answer: sessionsAnswer },
  pendingCalls: {
    verb: "GET",
    path: "/pending-calls",
    summary: "The calls that wait for an answer of their caller",
    answer: pendingCallsAnswer,
  },
  tasks: {
    verb: "GET",
    path: "/tasks",
    summary: "The tasks that the gateway made of calls, and those that ended in the last minutes",
    answer: tasksAnswer,
  },
  answerPendingCall: {
    verb: "POST",
    path: "/pending-calls/{id}/answer",
    summary:
      "Answers a pending call in the place of its caller, with the same checks. The caller gets the result with its own retry",
    body: answerBody,
    answer: done,
    statuses: [404, 409, 422, 503],
  },
  cancelPendingCall: {
    verb: "POST",
    path: "/pending-calls/{id}/cancel",
    summary: "Cancels a pending call at its upstream",
    answer: done,
    statuses: [404, 503],
  },
  task: {
    verb: "GET",
    path: "/tasks/{id}",
    summary: "A task with its timeline",
    answer: taskDetail,
    statuses: [404, 503],
  },
  answerTask: {
    verb: "POST",
    path: "/tasks/{id}/answer",
    summary: "Answers the input requests of a task in the place of its caller, with the same checks",
    body: answerBody,
    answer: done,
    statuses: [404, 409, 422, 503],
  },
  cancelTask: {
    verb: "POST",
    path: "/tasks/{id}/cancel",
    summary: "Cancels a task",
    answer: done,
    statuses: [404, 503],
  },
  health: {
    verb: "GET",
    path: "/health",
    summary: "The replicas, the shared store, limits with their use, and problems",
    answer: health,
  },
  config: { verb: "GET", path: "/config", summary: "The active configuration, with secrets masked", answer: json() },
  configChanges: {
    verb: "GET",
    path: "/config/changes",
    summary: "What a reload would change, with secrets masked",
    answer: configChanges,
  },
  reload: {
    verb: "POST",
    path: "/config/reload",
    summary: "Reads the configuration again and applies it. With problems it changes nothing, and the status is 422",
    answer: reloadOutcome,
    statuses: [422],
  },
};

/** The named schemas of all answers and events. */
export const allComponents: ReadonlyMap<string, Described<unknown>["schema"]> = merge([
  ...Object.values<Operation<unknown>>(operations).flatMap(({ answer, body }) => [
    answer.components,
    ...(body ? [body.components] : []),
  ]),
  ...Object.values(eventData).map(({ components }) => components),
]);
