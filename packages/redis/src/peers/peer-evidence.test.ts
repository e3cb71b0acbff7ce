import { createKeyRing, every, pause } from "@lethe/server/stores";
import { afterEach, expect, test } from "vitest";
import { createManualClock } from "../../../server/src/testing/manual-clock.ts";
import { keys } from "../testing/own-redis.ts";
import type { Member } from "./members.ts";
import { createPeerEvidence, type PeerEvidence, toPromiseMs } from "./peer-evidence.ts";

const open: PeerEvidence[] = [];
afterEach(() => {
  for (const evidence of open.splice(0)) evidence.close();
});

class Refused extends Error {
  readonly code = "ECONNREFUSED";
}

/** Replicas in one process. Each one's address is its name. */
function createNetwork() {
  const clock = createManualClock();
  const replicas = new Map<string, PeerEvidence>();
  const cut = new Set<string>();
  const lacking = new Set<string>();
  const problems: string[] = [];
  const delay = { ms: 0 };
  const travel = () => (delay.ms > 0 ? pause(clock, delay.ms) : undefined);
  return {
    clock,
    delay,
    cut,
    lacking,
    problems,
    kill: (name: string) => replicas.delete(name),
    async start(name: string): Promise<PeerEvidence> {
      const evidence = await createPeerEvidence({
        self: name,
        ring: createKeyRing(keys),
        clock,
        address: () => name,
        link: {
          get isUp() {
            return !lacking.has(name);
          },
        },
        onProblem: (problem) => void problems.push(problem),
        transport: {
          async ask(address, question) {
            if (cut.has(address) || cut.has(name)) throw new Error("no answer");
            const replica = replicas.get(address);
            if (!replica) throw new Refused();
            await travel();
            const answer = replica.answer(question);
            await travel();
            if (answer === undefined) throw new Error("404");
            return answer;
          },
        },
      });
      replicas.set(name, evidence);
      open.push(evidence);
      every(clock, 100, () => {
        if (!lacking.has(name)) evidence.confirm(clock.now() + 500);
      });
      return evidence;
    },
  };
}

function membersOf(...names: string[]): Member[] {
  return names.map((replica) => ({ replica, address: replica }));
}

async function startThree() {
  const network = createNetwork();
  const [a, b, c] = [await network.start("a"), await network.start("b"), await network.start("c")];
  for (const one of [a, b, c]) {
    await one.introduce([]);
    one.observe({ sentAt: network.clock.now(), members: membersOf("a", "b", "c") });
    one.confirm(network.clock.now() + 500);
  }
  await network.clock.advance(100);
  return { ...network, a, b, c };
}

test("a replica stays valid without Redis for as long as all members say that they lack Redis, too", async () => {
  const { a, clock, lacking } = await startThree();
  for (const name of ["a", "b", "c"]) lacking.add(name);
  await clock.advance(30_000);
  expect(a.permitUntil()).toBeGreaterThan(clock.now());
  expect(a.view()).toBe("unreached");
  lacking.delete("c");
  await clock.advance(800);
  expect(a.permitUntil()).toBeLessThanOrEqual(clock.now());
  expect(a.view()).toBe("reached");
});

test("a permit that lapsed is restored by Redis alone", async () => {
  const { a, clock, lacking } = await startThree();
  lacking.add("a");
  await clock.advance(2_000);
  const lapsed = a.permitUntil();
  lacking.add("b").add("c");
  await clock.advance(2_000);
  expect(a.permitUntil()).toBe(lapsed);
  a.confirm(clock.now() + 500);
  await clock.advance(2_000);
  expect(a.permitUntil()).toBeGreaterThan(clock.now());
});

test("one member that does not answer ends the permit", async () => {
  const { a, clock, lacking, cut } = await startThree();
  for (const name of ["a", "b", "c"]) lacking.add(name);
  await clock.advance(2_000);
  cut.add("c");
  await clock.advance(1_000);
  expect(a.permitUntil()).toBeLessThanOrEqual(clock.now());
  await clock.advance(2_000);
  expect(a.view()).toBe("unknown");
});

test("a member whose process has ended does not end the permit", async () => {
  const { a, clock, lacking, kill } = await startThree();
  for (const name of ["a", "b", "c"]) lacking.add(name);
  await clock.advance(2_000);
  kill("c");
  await clock.advance(10_000);
  expect(a.permitUntil()).toBeGreaterThan(clock.now());
});

test("a refused connection proves nothing about a member that never answered at its address", async () => {
  const { clock, lacking, start, problems } = createNetwork();
  const a = await start("a");
  a.observe({ sentAt: clock.now(), members: membersOf("a", "elsewhere") });
  a.confirm(clock.now() + 500);
  await clock.advance(6_000);
  expect(problems).toEqual([expect.stringContaining("replica elsewher does not answer at elsewhere with these keys")]);
  lacking.add("a");
  await clock.advance(2_000);
  expect(a.permitUntil()).toBeLessThanOrEqual(clock.now());
  expect(a.view()).toBe("unknown");
});

test("a replica that answers only the second question, because it was starting, is not reported as silent", async () => {
  const { clock, start, problems } = createNetwork();
  const a = await start("a");
  a.observe({ sentAt: clock.now(), members: membersOf("a", "b") });
  a.confirm(clock.now() + 500);
  await clock.advance(3_000);
  await start("b");
  await clock.advance(20_000);
  expect(problems).toEqual([]);
  a.observe({ sentAt: clock.now(), members: membersOf("a", "b", "elsewhere") });
  await clock.advance(20_000);
  expect(problems).toEqual([expect.stringContaining("replica elsewher does not answer at elsewhere with these keys")]);
});

test("a replica of an earlier build, which has no address, prevents a permit", async () => {
  const { clock, lacking, start } = createNetwork();
  const a = await start("a");
  a.observe({ sentAt: clock.now(), members: [{ replica: "old", address: undefined }] });
  a.confirm(clock.now() + 500);
  lacking.add("a");
  await clock.advance(2_000);
  expect(a.permitUntil()).toBeLessThanOrEqual(clock.now());
});

test("a replica without members needs no evidence", async () => {
  const { clock, lacking, start } = createNetwork();
  const a = await start("a");
  a.observe({ sentAt: clock.now(), members: membersOf("a") });
  a.confirm(clock.now() + 500);
  lacking.add("a");
  await clock.advance(60_000);
  expect(a.permitUntil()).toBeGreaterThan(clock.now());
  expect(a.view()).toBe("alone");
});

test("a replica that says that it lacks Redis takes no session for longer than the permit lasts", async () => {
  const { a, b, clock, lacking } = await startThree();
  expect(b.promisedUntil()).toBeLessThan(clock.now());
  lacking.add("a").add("b").add("c");
  await clock.advance(100);
  expect(b.promisedUntil()).toBeGreaterThanOrEqual(clock.now() + toPromiseMs());
  expect(b.promisedUntil()).toBeGreaterThan(a.permitUntil());
});

test("a joining replica ends the permits of replicas that cannot read about it in Redis", async () => {
  const { clock, lacking, start } = createNetwork();
  const a = await start("a");
  a.observe({ sentAt: clock.now(), members: [] });
  a.confirm(clock.now() + 500);
  lacking.add("a");
  await clock.advance(5_000);
  expect(a.permitUntil()).toBeGreaterThan(clock.now());
  const joining = await start("d");
  expect(joining.promisedUntil()).toBe(Number.POSITIVE_INFINITY);
  await joining.introduce(membersOf("a"));
  expect(joining.promisedUntil()).toBeGreaterThan(a.permitUntil());
  await clock.advance(1_000);
  expect(a.permitUntil()).toBeLessThanOrEqual(clock.now());
  expect(joining.promisedUntil()).toBeLessThanOrEqual(clock.now());
});

test("a replica that returns to an empty Redis introduces itself to replicas that it knew before", async () => {
  const { a, b, clock, lacking } = await startThree();
  // B and C lost their leases, and A is alone before Redis goes away.
  a.observe({ sentAt: clock.now(), members: [] });
  lacking.add("a");
  await clock.advance(5_000);
  expect(a.permitUntil()).toBeGreaterThan(clock.now());
  b.observe({ sentAt: clock.now(), members: [] });
  await b.introduce([]);
  expect(b.promisedUntil()).toBeGreaterThan(a.permitUntil());
  await clock.advance(2_000);
  expect(a.permitUntil()).toBeLessThanOrEqual(clock.now());
});

test("forgets replicas after the time for which Redis records them", async () => {
  const { b, clock } = await startThree();
  b.observe({ sentAt: clock.now(), members: [] });
  await clock.advance(601_000);
  const before = b.promisedUntil();
  await b.introduce([]);
  expect(b.promisedUntil()).toBe(before);
});

test("keeps a member that introduced itself after the renewal was sent", async () => {
  const { clock, lacking, start } = createNetwork();
  const a = await start("a");
  const sentAt = clock.now();
  await clock.advance(10);
  await (await start("d")).introduce(membersOf("a"));
  a.observe({ sentAt, members: [] });
  expect(a.size).toBe(1);
  a.confirm(clock.now() + 500);
  lacking.add("a");
  await clock.advance(2_000);
  expect(a.permitUntil()).toBeLessThanOrEqual(clock.now());
  a.observe({ sentAt: clock.now(), members: [] });
  expect(a.size).toBe(0);
});

test("gives up introducing itself to replicas that never answer", async () => {
  const { clock, start, cut } = createNetwork();
  cut.add("gone");
  const d = await start("d");
  await d.introduce(membersOf("gone", "dead"));
  await clock.advance(1_000);
  expect(d.promisedUntil()).toBeLessThanOrEqual(clock.now());
});

test("the answer of a former member gives no permit", async () => {
  const { a, clock, lacking, delay } = await startThree();
  lacking.add("a").add("b").add("c");
  delay.ms = 50;
  await clock.advance(120);
  a.observe({ sentAt: clock.now(), members: [] });
  await clock.advance(150);
  expect(a.permitUntil()).toBeLessThan(clock.now() + 1_000);
});

test("a permit ends before the promise behind it, also if question and answer travel slowly", async () => {
  const { a, b, c, clock, lacking, delay } = await startThree();
  lacking.add("a").add("b").add("c");
  delay.ms = 150;
  a.confirm(clock.now() + 500);
  await clock.advance(420);
  lacking.delete("b");
  lacking.delete("c");
  await clock.advance(2_000);
  expect(a.permitUntil()).toBeLessThan(Math.min(b.promisedUntil(), c.promisedUntil()));
});

test("answers no question that is forged, repeated, or for another replica", async () => {
  const { a, b } = await startThree();
  const { createPeerMessages } = await import("./peer-messages.ts");
  const ring = createKeyRing(keys);
  const sender = await createPeerMessages(ring, "sender");
  const text = sender.sealQuestion("a", { nonce: "n" });
  expect(b.answer(text)).toBeUndefined();
  const answer = a.answer(text) as string;
  expect(sender.openAnswer(answer, "a")).toEqual({ nonce: "n", hasRedis: true });
  expect(sender.openAnswer(answer, "b")).toBeUndefined();
  expect(a.answer(text)).toBeUndefined();
  expect(a.answer(answer)).toBeUndefined();
  expect(a.answer("x".repeat(100_000))).toBeUndefined();
  expect(a.answer("")).toBeUndefined();
  const foreign = await createPeerMessages(createKeyRing(`k:${"E".repeat(43)}`), "sender");
  expect(a.answer(foreign.sealQuestion("a", { nonce: "n" }))).toBeUndefined();
});
