// "Any instance", shown with two servers.
import { afterEach, expect, it } from "vitest";
import { probe } from "./probe.ts";
import {
  answerLegacy,
  answerModern,
  createStateful,
  type Handle,
  isModern,
  type OddServer,
  refuse,
  startOddServer,
} from "./testing/odd-server.ts";

let servers: OddServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

async function probeBoth(one: Handle, other: Handle) {
  servers = [await startOddServer(one), await startOddServer(other)];
  const [home, replica] = servers.map(({ url }) => url) as [string, string];
  const report = await probe({ url: home }, { replicas: [replica] });
  for (const server of servers) await expect.poll(() => server.connections()).toBe(0);
  return report.instances;
}

it('a replica that does not know the session disproves "any instance"', async () => {
  const one = createStateful();
  expect(await probeBoth(one, createStateful())).toMatchObject([
    { kind: "replica", era: "legacy", isAnyInstance: false },
  ]);
  expect(one.sessions.size).toBe(0);
});

it('a replica that knows the session proves "any instance"', async () => {
  const shared = createStateful();
  expect(await probeBoth(shared, shared)).toMatchObject([{ era: "legacy", isAnyInstance: true }]);
});

it('a server without sessions proves "any instance"', async () => {
  expect(await probeBoth(answerLegacy, answerLegacy)).toMatchObject([{ era: "legacy", isAnyInstance: true }]);
});

it('alternating modern requests to both prove "any instance"', async () => {
  const dual = () => {
    const stateful = createStateful();
    return (asked: Parameters<Handle>[0]) => (isModern(asked) ? answerModern(asked) : stateful(asked));
  };
  expect(await probeBoth(dual(), dual())).toMatchObject([
    { era: "modern", isAnyInstance: true },
    { era: "legacy", isAnyInstance: false },
  ]);
  const lists = servers.map(({ asked }) => asked.filter((one) => isModern(one) && one.method === "tools/list").length);
  // At home two of them were trials of the session.
  expect(lists).toEqual([2 + 1, 2]);
});

it('a replica that is not modern disproves "any instance"', async () => {
  const dual: Handle = (asked) => (isModern(asked) ? answerModern(asked) : answerLegacy(asked));
  expect(await probeBoth(dual, answerLegacyOnly)).toMatchObject([
    { era: "modern", isAnyInstance: false },
    { era: "legacy", isAnyInstance: true },
  ]);
});

const answerLegacyOnly: Handle = (asked) => (isModern(asked) ? refuse(asked.id, 400, -32000) : answerLegacy(asked));

it("an unreachable replica is inconclusive", async () => {
  const gone = await startOddServer(answerLegacy);
  await gone.close();
  servers = [await startOddServer(createStateful())];
  const report = await probe({ url: servers[0]?.url ?? "" }, { replicas: [gone.url] });
  expect(report).toMatchObject({ word: "STATEFUL", instances: [{ era: "legacy", isAnyInstance: null }] });
});

it("a refusal of the replica counts only while the session is open at the target", async () => {
  const home = createStateful();
  const forgetful: Handle = (asked) => {
    home.sessions.clear();
    return refuse(asked.id, 404, -32001);
  };
  expect(await probeBoth(home, forgetful)).toMatchObject([{ era: "legacy", isAnyInstance: null }]);
});
