// The sessions of the gateway as operators see them.
import { expect, it } from "vitest";
import type { UpstreamPolicy } from "../../config/schema/settings.ts";
import { createFakeConnection, createFakeSessions, type FakeUpstream } from "../../testing/fakes.ts";
import type { Session } from "../../upstreams/sessions/session.ts";
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
  const [session] = sessions.sessions as [Session];
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
