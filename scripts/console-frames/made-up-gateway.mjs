// A gateway that is made up: it serves the built console, and an administration interface with any number of upstreams and requests.
// It invents what it answers, so that no gateway competes with the browser for the processor.
import { once } from "node:events";
import { createServer } from "node:http";
import { answerConsole } from "../../packages/console/dist/index.js";

const replica = "a1b2c3d4";
const stepSeconds = 10;
const points = 60;
/** Upstreams whose state changes in a second. */
const changedPerSecond = 50;
/** As the gateway does: it sends so often, and records so many requests a second. */
const streamEveryMs = 200;
const maxRecorded = 100;
const callers = 90;
const fleet = { replica, unanswered: [], omitted: 0 };

const pick = (list, index) => list[index % list.length];
const stepTime = (step) => new Date(step * stepSeconds * 1_000).toISOString();
const currentStep = () => Math.floor(Date.now() / 1_000 / stepSeconds);
const recent = (index) => ({ requests: index % 40, errors: index % 17 === 0 ? 1 : 0, p50: 3, p95: 12 + (index % 30) });
const steps = (toValue) => Array.from({ length: points }, (_, step) => toValue(step));

/** Serves on a free port of the loopback address. */
export async function serveMadeUpGateway({ upstreams, perMinute }) {
  const made = createFleet(upstreams);
  const server = createServer((request, response) => void answer(made, perMinute, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(made, perMinute, request, response) {
  const path = request.url.split("?")[0];
  if (path === "/admin/v1/events") return void sendEvents(made, perMinute, response);
  if (path.startsWith("/admin/v1")) {
    const answered = made.answerAt(path.slice("/admin/v1".length));
    response.writeHead(answered ? 200 : 404, { "content-type": "application/json" });
    return void response.end(JSON.stringify(answered ?? { error: "unknown" }));
  }
  const page = await answerConsole(
    { verb: "GET", path, header: (name) => request.headers[name] },
    { admin: "/admin/v1" },
  );
  response.writeHead(page.status, page.headers).end(page.bytes ?? page.body);
}

function sendEvents({ names, upstreamAt, overview, nextExchange }, perMinute, response) {
  const received = (perMinute / 60_000) * streamEveryMs;
  const perWrite = Math.min(received, (maxRecorded / 1_000) * streamEveryMs);
  let [due, round] = [0, 0];
  const toEvent = (event, data) => {
    const id = event === "exchange" ? `id: ${data.id}\n` : "";
    return `event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`;
  };
  const send = (...events) => response.write(events.map(([event, data]) => toEvent(event, data)).join(""));
  response.writeHead(200, { "content-type": "text/event-stream" });
  send(["state", overview()], ["upstreams", { upstreams: names.map((_, index) => upstreamAt(index, 0)), removed: [] }]);
  const exchanges = setInterval(() => {
    due += perWrite;
    const events = Array.from({ length: Math.floor(due) }, () => ["exchange", nextExchange()]);
    due -= events.length;
    const leftOut = Math.round(received - events.length);
    send(...(leftOut > 0 ? [["sampled", { replica, leftOut }]] : []), ...events);
  }, streamEveryMs);
  const state = setInterval(() => {
    round += 1;
    const count = Math.min(changedPerSecond, names.length);
    const changed = Array.from({ length: count }, (_, index) => upstreamAt((index * 13 + round) % names.length, round));
    send(["state", overview()], ["upstreams", { upstreams: changed, removed: [] }]);
    if (round % stepSeconds !== 0) return;
    const upstreams = Object.fromEntries(names.map((name, index) => [name, recent(index + round)]));
    send([
      "tick",
      { time: stepTime(currentStep() - 1), stepSeconds, gateway: recent(round), upstreams, recent: upstreams },
    ]);
  }, 1_000);
  response.on("close", () => {
    clearInterval(exchanges);
    clearInterval(state);
  });
}

function createFleet(count) {
  const names = Array.from({ length: count }, (_, index) => `server-${String(index).padStart(4, "0")}`);
  const upstreamAt = (index, round) => toUpstream(names[index], index, round);
  let sent = 0;

  function nextExchange() {
    sent += 1;
    const name = pick(names, sent * 7);
    return {
      ...{ id: `${replica}-${sent}`, replica, time: new Date().toISOString(), endpoint: "/mcp", method: "tools/call" },
      ...{ name: `${name}__read`, upstream: name, caller: `key team-${sent % callers}`, ms: 12.3, hasSteps: true },
      outcome: pick(["complete", "complete", "complete", "input_required", "tool_error", "error"], sent),
    };
  }

  const overview = () => ({
    ...{ name: "lethe-gateway", version: "0.1.0", replica, replicas: [replica], unanswered: [] },
    ...{ state: "serving", started: new Date(0).toISOString() },
    ...{ upSeconds: 1, listening: { url: "http://127.0.0.1/mcp", adminUrl: "http://127.0.0.1/admin" } },
    features: { auth: true, policy: false, bodies: true, replicas: true },
    upstreams: { starting: 0, ready: count, idle: 0, failed: 0 },
    ...{ sessions: 10, pendingCalls: 0, tasks: 0, total: { requests: sent, errors: 0 }, recent: recent(sent) },
    ...{ files: [], notes: [], warnings: [], memory: { held: {}, heldBytes: 0, softBytes: 1, hardBytes: 1 } },
  });

  const answers = {
    "/series": () => toSeriesAnswer(names),
    "/topology": () => toTopology(names, sent),
    "/health": () => ({ ...fleet, isReady: true, readiness: "ready", replicas: [], limits: [], problems: [] }),
    "/sessions": () => ({ ...fleet, sessions: [] }),
    "/pending-calls": () => ({ ...fleet, pendingCalls: [] }),
    "/tasks": () => ({ ...fleet, tasks: [] }),
    "/config": () => ({}),
    "/config/changes": () => ({ changes: [], needsRestart: [], problems: [], omitted: 0 }),
  };

  function answerAt(path) {
    const [, name, isCatalog] = /^\/upstreams\/([^/]+)(\/catalog)?$/.exec(path) ?? [];
    if (name === undefined) return answers[path]?.();
    const lists = { tools: [], prompts: [], resources: [], templates: [], toolTokens: 0, omitted: 0, problems: [] };
    if (isCatalog) return { replica, upstream: name, ...lists };
    return {
      ...toUpstream(name, 1, 0),
      replica,
      endpoint: `/mcp/${name}`,
      openSessions: [],
      processes: [],
      stderr: [],
    };
  }

  return { names, upstreamAt, overview, nextExchange, answerAt };
}

function toUpstream(name, index, round) {
  const eras = {
    modern: { isSpoken: true, word: "STATELESS", revisions: ["2026-07-28"] },
    legacy: { isSpoken: true, word: "STATEFUL", revisions: ["2025-11-25"] },
  };
  return {
    ...{ name, kind: pick(["stdio", "http"], index), target: `npx -y @example/${name}` },
    ...{ state: pick(["ready", "ready", "idle", "failed"], index), era: pick(["legacy", "modern"], index) },
    ...{ revision: "2025-11-25", sharing: "session", affinity: "caller", use: "a process for each caller" },
    verdict: {
      ...{ word: pick(["STATELESS", "STATEFUL"], index), source: "probe", transport: "stdio", eras },
      features: { server: { name, version: "1.0.0" }, capabilities: ["tools"] },
      ...{ evidence: ["modern: tools/list was answered without a session"], found: new Date(0).toISOString() },
    },
    ...{ warnings: [], problems: [], failures: 0, sessions: round, sessionsLost: {}, waiting: 0, pending: 0, tasks: 0 },
    ...{ tools: 12, prompts: 1, resources: 3, recent: recent(index + round) },
  };
}

function toSeriesAnswer(names) {
  const seriesOf = (index) => ({
    requests: steps((step) => (index + step) % 30),
    errors: steps((step) => ((index + step) % 29 === 0 ? 1 : 0)),
    p50: steps((step) => 3 + (step % 5)),
    p95: steps((step) => 12 + (step % 9)),
  });
  const upstreams = Object.fromEntries(names.map((name, index) => [name, seriesOf(index)]));
  return { replica, stepSeconds, newest: stepTime(currentStep()), gateway: seriesOf(1), upstreams };
}

function toTopology(names, sent) {
  const self = `replica:${replica}`;
  const each = (length, itemOf) => Array.from({ length }, (_, index) => itemOf(index));
  const node = (id, label, requests) => ({ id, label, requests, errors: 0 });
  return {
    ...{ ...fleet, seconds: 60 },
    callers: each(callers, (index) => node(`caller:${index}`, `key team-${index}`, index + (sent % 50))),
    replicas: [node(self, replica, sent)],
    upstreams: names.map((name, index) => node(`upstream:${name}`, name, (index + sent) % 100)),
    edges: [
      ...each(callers, (index) => ({ from: `caller:${index}`, to: self, requests: index, errors: 0 })),
      ...names.map((name, index) => ({ from: self, to: `upstream:${name}`, requests: index % 40, errors: 0 })),
    ],
  };
}
