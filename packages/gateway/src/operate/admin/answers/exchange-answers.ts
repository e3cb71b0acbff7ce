// Answers with the requests that this replica received, and with who sent them where.
import type { ExchangeQuery, KeptExchange } from "../../observe/exchange-ring.ts";
import { otherCallers } from "../../observe/traffic.ts";
import { ApiError, type ApiRequest, integerIn } from "../api/api-request.ts";
import type { Exchange, ExchangeDetail, ExchangesAnswer, TopologyAnswer, TopologyNode } from "../api/exchanges.ts";
import type { AdminSource } from "./admin-source.ts";

/** Exchanges of one replica in one answer. */
const maxExchanges = 500;

export function toExchanges(source: AdminSource, request: ApiRequest): ExchangesAnswer {
  const kept = source.exchanges.list(toExchangeQuery(request));
  return {
    ...{ replica: source.replica, unanswered: [], omitted: 0 },
    exchanges: kept.map((exchange) => toExchange(exchange, source.replica)),
  };
}

export function toExchangeQuery(request: ApiRequest): ExchangeQuery {
  const { upstream, caller, method, outcome, call } = request.query;
  const limit = Math.min(maxExchanges, integerIn(request, "limit") ?? 100);
  return { limit, upstream, caller, method, outcome, call };
}

export function toExchangeDetail(source: AdminSource, { path: { id = "" } }: ApiRequest): ExchangeDetail {
  const number = id.slice(id.lastIndexOf("-") + 1);
  const kept = /^\d{1,15}$/.test(number) ? source.exchanges.get(Number(number)) : undefined;
  if (!kept) throw new ApiError(404, `no exchange ${id}, or no longer: the gateway keeps the last ones`);
  const { bodies: { params, result, error } = {}, steps } = kept;
  return {
    ...toExchange(kept, source.replica),
    steps: steps?.steps ?? [],
    stepsOmitted: steps?.omitted ?? 0,
    ...(params !== undefined && { params }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
    related: relatedTo(kept, source),
  };
}

function relatedTo({ record: { call }, id }: KeptExchange, { exchanges, replica }: AdminSource): Exchange[] {
  if (call === undefined) return [];
  const others = exchanges.list({ call, limit: maxExchanges }).filter((other) => other.id !== id);
  return others.reverse().map((other) => toExchange(other, replica));
}

const optionalMembers = [
  "call",
  "name",
  "upstream",
  "caller",
  "code",
  "reason",
  "detail",
  "replicaFailure",
  "revision",
] as const;

/** Assigns members one by one: the event streams send each exchange, and copies by spread take six times as long. */
export function toExchange({ id, record, steps }: KeptExchange, replica: string): Exchange {
  const { time, endpoint, method, ms, outcome } = record;
  const hasSteps = steps !== undefined;
  const exchange: Exchange = {
    id: `${replica}-${id}`,
    replica,
    time: time.toISOString(),
    endpoint,
    method,
    ms,
    outcome,
    hasSteps,
  };
  const members = exchange as unknown as Record<string, unknown>;
  for (const member of optionalMembers) if (record[member] !== undefined) members[member] = record[member];
  return exchange;
}

/** Callers, this replica and its upstreams, with the requests between them. */
export function toTopology({ traffic, replica, view }: AdminSource): TopologyAnswer {
  const { seconds, flows } = traffic.flows();
  const nodes = new Map<string, TopologyNode>();
  const edges = new Map<string, TopologyAnswer["edges"][number]>();
  const self = `replica:${replica}`;
  const touch = (id: string, label: string, requests: number, errors: number) => {
    const known = nodes.get(id) ?? { id, label, requests: 0, errors: 0 };
    nodes.set(id, { ...known, requests: known.requests + requests, errors: known.errors + errors });
  };
  const join = (from: string, to: string, requests: number, errors: number) => {
    const key = JSON.stringify([from, to]);
    const known = edges.get(key) ?? { from, to, requests: 0, errors: 0 };
    edges.set(key, { ...known, requests: known.requests + requests, errors: known.errors + errors });
  };
  touch(self, replica, 0, 0);
  for (const { name } of view().upstreams) touch(`upstream:${name}`, name, 0, 0);
  for (const { caller, upstream, requests, errors } of flows) {
    touch(`caller:${caller}`, labelOf(caller), requests, errors);
    touch(self, replica, requests, errors);
    join(`caller:${caller}`, self, requests, errors);
    // A removed upstream, or a request that the gateway answers itself.
    if (!nodes.has(`upstream:${upstream}`)) continue;
    touch(`upstream:${upstream}`, upstream, requests, errors);
    join(self, `upstream:${upstream}`, requests, errors);
  }
  const ofKind = (kind: string) => [...nodes.values()].filter(({ id }) => id.startsWith(`${kind}:`));
  return {
    ...{ replica, unanswered: [], omitted: 0, seconds },
    ...{ callers: ofKind("caller"), replicas: ofKind("replica"), upstreams: ofKind("upstream") },
    edges: [...edges.values()],
  };
}

function labelOf(caller: string): string {
  if (caller === "") return "anonymous callers";
  return caller === otherCallers ? "other callers" : caller;
}
