// The sessions of the gateway as operators see them.
import { describe, expect, it } from "vitest";
import type { UpstreamPolicy } from "../../config/schema/settings.ts";
import { createFakeConnection, createFakeSessions, type FakeUpstream } from "../../testing/fakes.ts";
import type { Session } from "../../upstreams/sessions/session.ts";
import { toLimitUse } from "../limit-use.ts";
import { createRedactor } from "../observe/redact.ts";
import { toGatewayView, type ViewSource } from "./view.ts";

const nothing: Omit<ViewSource, "upstreams"> = {
  retiring: [],
  pendingCalls: [],
  tasks: [],
  offerOf: () => ({ tools: 0, prompts: 0, resources: 0 }),
  failureOf: () => undefined,
  problemsOf: () => [],
  heldCount: () => 0,
  keptStateOf: () => [],
  hasAuth: false,
  redactor: createRedactor([]),
};

it("shows a session that finishes outside of its pool after a wrong verdict", async () => {
  const { sessions } = createFakeSessions({ affinity: "caller" });
  const session = (await sessions.sessionFor("ann")) as Session;
  sessions.enter(session);
  const shown = () => toGatewayView({ ...nothing, upstreams: [sessions] }).sessions;
  expect(shown()).toEqual([]);
  await session.opened;
  expect(shown()).toMatchObject([{ caller: "ann", isEnding: false, users: 1 }]);
  session.retire();
  expect(shown()).toMatchObject([{ caller: "ann", isEnding: true, users: 1 }]);
  sessions.leave(session);
  expect(shown()).toEqual([]);
  await sessions.close();
});

it("shows up to 1,000 sessions of an upstream, and counts all", async () => {
  const { sessions } = createFakeSessions({ affinity: "caller", sessions: { max: 2_000 } });
  for (let caller = 0; caller < 1_200; caller += 1) await ((await sessions.sessionFor(`c${caller}`)) as Session).opened;
  const view = toGatewayView({ ...nothing, upstreams: [sessions] });
  expect([view.sessions.length, view.sessionCount, view.upstreams[0]?.sessions]).toEqual([1_000, 1_200, 1_200]);
  await sessions.close();
});

describe("the view of an upstream with many sessions", () => {
  async function openMany(count: number) {
    const { sessions } = createFakeSessions({ affinity: "caller", sessions: { max: count } });
    for (let caller = 0; caller < count; caller += 1)
      await ((await sessions.sessionFor(`c${caller}`)) as Session).opened;
    return { sessions, touched: countTouched([...sessions.sessions]) };
  }

  it("gives numbers, states and versions without looking at any session", async () => {
    const { sessions, touched } = await openMany(300);
    const { upstreams, sessionCount, versions } = toGatewayView({ ...nothing, upstreams: [sessions] });
    const limits = toLimitUse({
      gateway: { upstreams: [sessions], pendingCalls: [], tasks: [], heldCount: () => 0, watched: { mostOfCaller: 0 } },
      ...{ settings: {}, open: { connections: 0, load: { receiving: 0, running: 0, streams: 0 } } },
      callers: { requests: { limit: 1, used: 0 }, streams: { limit: 1, used: 0 } },
      offerOf: () => ({ tools: 0, prompts: 0, resources: 0, templates: 0 }),
    });
    const usedOf = (limit: string) => limits.find(({ name }) => name === limit)?.used;
    expect([upstreams[0]?.sessions, sessionCount, versions.sessions]).toEqual([
      300,
      300,
      expect.stringMatching(/^up \d+$/),
    ]);
    expect([usedOf("sessions.max"), usedOf("sessions.maxPerCaller")]).toEqual([300, 1]);
    expect(touched.size).toBe(0);
    await sessions.close();
  });

  it("looks at no more sessions than it lists", async () => {
    const { sessions, touched } = await openMany(1_200);
    expect(toGatewayView({ ...nothing, upstreams: [sessions] }).sessions).toHaveLength(1_000);
    expect(touched.size).toBe(1_000);
    await sessions.close();
  });

  it("has another version of the list when a session opens, is retired or ends", async () => {
    const { sessions } = createFakeSessions({ affinity: "caller" });
    const version = () => toGatewayView({ ...nothing, upstreams: [sessions] }).versions.sessions;
    const seen = [version()];
    const ann = (await sessions.sessionFor("ann")) as Session;
    await ann.opened;
    seen.push(version());
    sessions.enter(ann);
    sessions.replace(ann);
    seen.push(version());
    sessions.leave(ann);
    seen.push(version());
    expect(new Set(seen).size).toBe(4);
    expect(version()).toBe(seen.at(-1));
    await sessions.close();
  });
});

/** The sessions whose members are read from now on. */
function countTouched(sessions: readonly Session[]): Set<Session> {
  const touched = new Set<Session>();
  for (const session of sessions) {
    for (const member of ["id", "key", "connection", "startedAt"] as const) {
      const value = session[member];
      Object.defineProperty(session, member, { get: () => touched.add(session) && value });
    }
  }
  return touched;
}

it("shows problems of the lists beside their upstream, without secrets", async () => {
  const { sessions } = createFakeSessions();
  const redactor = createRedactor(["token-of-ci"]);
  const problemsOf = () => ["up: no list today, token-of-ci"];
  const [shown] = toGatewayView({ ...nothing, redactor, problemsOf, upstreams: [sessions] }).upstreams;
  expect(shown?.problems).toEqual(["up: no list today, ***"]);
  await sessions.close();
});

it("warns that tasks under capabilities.experimental are ignored when no tool can use them", async () => {
  const { sessions } = createFakeSessions({}, () => {
    const connection = createFakeConnection();
    connection.server.capabilities = { experimental: { tasks: { list: {} } } };
    return connection;
  });
  await sessions.start();
  const [shown] = toGatewayView({ ...nothing, upstreams: [sessions] }).upstreams;
  expect(shown?.warnings).toContainEqual(expect.stringContaining("tasks under capabilities.experimental"));
  await sessions.close();
});

it("shows only a part of a session id, too short to use the session", async () => {
  const { sessions } = createFakeSessions();
  await sessions.start();
  const [session] = [...sessions.sessions] as [Session];
  const { sessions: shown } = toGatewayView({ ...nothing, upstreams: [sessions] });
  expect(shown.map(({ id }) => id)).toEqual([session.id.slice(0, 8)]);
  await sessions.close();
});

it("warns that anonymous callers share the process of a modern server, unless the operator declares it stateless", async () => {
  const connect = () => createFakeConnection({ era: "modern" });
  const warningsWith = async (policy: UpstreamPolicy, hasAuth: boolean) => {
    const { sessions } = createFakeSessions(policy, connect);
    await sessions.start();
    const [shown] = toGatewayView({ ...nothing, hasAuth, upstreams: [sessions] }).upstreams;
    await sessions.close();
    return [shown?.use, ...(shown?.warnings ?? [])];
  };
  expect(await warningsWith({}, false)).toEqual([
    "one process for all: no gateway.auth",
    expect.stringContaining("all share one process and see what others do there"),
  ]);
  expect(await warningsWith({}, true)).toEqual([
    "a process for each caller",
    expect.stringContaining("each caller gets its own process, at most 64 at a time"),
  ]);
  expect(await warningsWith({ sharing: "shared" }, false)).toEqual(["one process for all"]);
});

it("warns with the evidence that tools of a modern server may keep state between calls", async () => {
  const sign = 'tool run has an argument "session"';
  const keptStateOf = () => [sign];
  const warningsOf = async (upstream: FakeUpstream) => {
    const { sessions } = createFakeSessions(upstream, () => createFakeConnection({ era: "modern" }));
    await sessions.start();
    const [shown] = toGatewayView({ ...nothing, keptStateOf, upstreams: [sessions] }).upstreams;
    await sessions.close();
    return shown?.warnings.filter((warning) => warning.includes(sign));
  };
  expect(await warningsOf({})).toEqual([`it probably keeps state between calls: ${sign}`]);
  expect(await warningsOf({ kind: "http" })).toEqual([
    `it probably keeps state between calls: ${sign}; all callers share one connection, so the server must keep them apart`,
  ]);
  expect(await warningsOf({ sharing: "shared" })).toEqual([]);
});
