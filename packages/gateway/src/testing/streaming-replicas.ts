// A replica that serves event streams of the administration, and the other replicas that it asks, without a gateway behind them.
import type { Dispatch } from "@lethe/protocol";
import type { RouteStream, StreamedAnswer } from "@lethe/server/edge";
import { AdminEvents } from "../operate/admin/admin-events.ts";
import type { AdminSource } from "../operate/admin/answers/admin-source.ts";
import { toNewExchanges } from "../operate/admin/answers/new-exchanges.ts";
import type { Overview } from "../operate/admin/api/overview.ts";
import { AskReplicas, createReplicaDispatch } from "../operate/admin/ask-replicas.ts";
import { FigureChanges } from "../operate/admin/fleet/figure-changes.ts";
import { createExchangeRing, type ExchangeQuery, type ExchangeRing } from "../operate/observe/exchange-ring.ts";
import type { GatewayView, UpstreamView } from "../operate/observe/gateway-view.ts";
import { createLogTail } from "../operate/observe/log-tail.ts";
import { createRedactor } from "../operate/observe/redact.ts";
import { createTraffic, type Traffic } from "../operate/observe/traffic.ts";

const redactor = createRedactor(["secret-word"]);

export function upstreamView(name: string, members: Partial<UpstreamView> = {}): UpstreamView {
  return {
    ...{ name, kind: "http", target: "http://127.0.0.1/mcp", state: "ready", warnings: [], problems: [], failures: 0 },
    ...{ sessions: 0, sessionsLost: {}, waiting: 0, pending: 0, tasks: 0, tools: 0, prompts: 0, resources: 0 },
    ...members,
  };
}

export interface PeerView {
  upstreams: UpstreamView[];
  sessions: { id: string }[];
  pendingCalls: unknown[];
  tasks: unknown[];
}

export interface Peer {
  readonly ring: ExchangeRing;
  readonly traffic: Traffic;
  readonly view: PeerView;
  /** Replaces its answer. */
  answer: Dispatch | undefined;
}

/** The counts and versions of its lists. */
function toView(view: PeerView): GatewayView {
  const { sessions, pendingCalls, tasks } = view;
  const counts = { sessionCount: sessions.length, pendingCallCount: pendingCalls.length, taskCount: tasks.length };
  const [ofSessions = "", ofCalls = "", ofTasks = ""] = [sessions, pendingCalls, tasks].map((list) =>
    JSON.stringify(list),
  );
  const versions = { sessions: ofSessions, "pending-calls": ofCalls, tasks: ofTasks };
  return { ...view, ...counts, versions } as unknown as GatewayView;
}

const emptyView = (): PeerView => ({ upstreams: [], sessions: [], pendingCalls: [], tasks: [] });

/** `isEarlier`: of a version that knows no figures. */
export function createPeer(
  replica: string,
  ring = createExchangeRing(200, redactor),
  { isEarlier = false } = {},
): Peer {
  const view = emptyView();
  const traffic = createTraffic();
  const source = { exchanges: ring, replica, traffic, view: () => toView(view) } as AdminSource;
  const changes = new FigureChanges();
  const answer = createReplicaDispatch(async (_, request) => ({
    ...toNewExchanges(source, request),
    ...(!isEarlier && request.query.figures !== undefined && { figures: changes.read(source, request) }),
  }));
  return { ring, traffic, view, answer };
}

export interface StreamingGateway {
  readonly ring: ExchangeRing;
  readonly traffic: Traffic;
  readonly view: PeerView;
  open(query?: ExchangeQuery, lastEventId?: string): OpenStream;
  /** Ends the streams. */
  close(): void;
}

export interface OpenStream {
  readonly told: readonly ToldEvent[];
  // biome-ignore lint/suspicious/noExplicitAny: tests compare events of any kind
  dataOf(event: string): any[];
  /** The names of the exchanges. */
  names(): (string | undefined)[];
}

interface ToldEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: { readonly name?: string };
}

export function createStreamingGateway(
  others: Map<string, Peer>,
  {
    self = "aaaaaaaa",
    ring = createExchangeRing(200, redactor),
    onFailed = (error: unknown): void => {
      throw error;
    },
  } = {},
): StreamingGateway {
  const directory = {
    ...{ self, acquire: () => ({ owner: self }), release() {} },
    reach: (id: string) => others.get(id)?.answer,
  };
  const view = emptyView();
  const traffic = createTraffic();
  const events = new AdminEvents({
    ...{ replica: self, exchanges: ring, log: createLogTail(), traffic },
    watching: { follow: () => () => {} },
    onFailed,
    replicas: new AskReplicas({ directory, others: () => [...others.keys()] }),
    own: () => ({
      overview: {
        ...{ replica: self, sessions: view.sessions.length, pendingCalls: view.pendingCalls.length },
        ...{ tasks: view.tasks.length, total: { ...traffic.total } },
      } as Overview,
      view: toView(structuredClone(view)),
      recent: (upstream) => traffic.recent(upstream),
    }),
  });
  const ends: (() => void)[] = [];
  function open(query: ExchangeQuery = {}, lastEventId?: string): OpenStream {
    const told: ToldEvent[] = [];
    const stream: RouteStream = {
      ...{ bufferedBytes: 0, drained: async () => {}, end() {} },
      send(text) {
        for (const [, event = "", id, data = ""] of text.matchAll(/event: (.*)\n(?:id: (.*)\n)?data: (.*)\n\n/g)) {
          told.push({ event, id, data: JSON.parse(data) });
        }
      },
      onAbort: (callback) => void ends.push(callback),
    };
    (events.respond(query, lastEventId) as StreamedAnswer).stream(stream);
    const dataOf = (name: string) => told.filter(({ event }) => event === name).map(({ data }) => data);
    return { told, dataOf, names: () => dataOf("exchange").map(({ name }) => name) };
  }
  return { ring, traffic, view, open, close: () => ends.splice(0).forEach((end) => void end()) };
}
