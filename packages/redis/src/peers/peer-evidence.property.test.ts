// Random outages, delays, stalls, deaths and clock rates: a session never has two owners that count themselves valid.
import { type Clock, createKeyRing, every } from "@lethe/server/stores";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../../../server/src/testing/manual-clock.ts";
import { keys } from "../testing/own-redis.ts";
import { createPeerEvidence, type PeerEvidence } from "./peer-evidence.ts";

const leaseMs = 2_500;
const validMs = 700;
const ring = createKeyRing(keys);

/** One session and the leases of all replicas, without delay. */
class ModelRedis {
  readonly leases = new Map<string, number>();
  readonly records = new Set<string>();
  owner: string | undefined;

  living(now: number): string[] {
    return [...this.leases].filter(([, until]) => now < until).map(([replica]) => replica);
  }
}

interface Fault {
  readonly atMs: number;
  readonly lastsMs: number;
  readonly kind: "outage" | "cut off" | "stall" | "kill" | "join" | "lost answers";
  readonly replica: number;
}

class ModelReplica {
  readonly name: string;
  readonly clock: Clock;
  evidence: PeerEvidence | undefined;
  hasLink = true;
  isDead = false;
  isOwner = false;
  stalledUntil = 0;
  #lastLeaseUntil = Number.NEGATIVE_INFINITY;
  readonly #base: ManualClock;

  constructor(name: string, base: ManualClock, rate: number) {
    this.name = name;
    this.#base = base;
    const run = (callback: () => void): void => {
      const waitMs = this.stalledUntil - base.now();
      if (waitMs > 0) base.after(waitMs, () => run(callback));
      else callback();
    };
    this.clock = {
      now: () => base.now() * rate,
      wallTime: () => 0,
      after: (ms, callback) => base.after(ms / rate, () => run(callback)),
    };
  }

  get isServing(): boolean {
    return !this.isDead && this.isOwner && this.clock.now() < (this.evidence?.permitUntil() ?? 0);
  }

  /** A heartbeat, and an attempt to take the session. */
  beat(redis: ModelRedis, isRedisUp: boolean): void {
    const { evidence } = this;
    if (!evidence || this.isDead || !this.hasLink || !isRedisUp) return;
    const now = this.#base.now();
    const hadLease = now < this.#lastLeaseUntil;
    if (redis.owner !== this.name) this.isOwner = false;
    this.#lastLeaseUntil = now + leaseMs;
    redis.leases.set(this.name, now + leaseMs);
    redis.records.add(this.name);
    const members = redis.living(now).map((replica) => ({ replica, address: replica }));
    evidence.observe({ sentAt: this.clock.now(), members });
    evidence.confirm(this.clock.now() + validMs);
    if (!hadLease) void evidence.introduce([...redis.records].map((replica) => ({ replica, address: replica })));
    if (redis.owner !== undefined && redis.living(now).includes(redis.owner)) return;
    if (this.clock.now() < evidence.promisedUntil()) return;
    redis.owner = this.name;
    this.isOwner = true;
  }
}

async function simulate(
  faults: readonly Fault[],
  rates: readonly number[],
  delays: readonly number[],
): Promise<string[]> {
  const base = createManualClock();
  const redis = new ModelRedis();
  const replicas: ModelReplica[] = [];
  const history: string[] = [];
  let [outages, losses, exchanges] = [0, 0, 0];

  async function start(): Promise<void> {
    const replica = new ModelReplica(`r${replicas.length}`, base, rates[replicas.length % rates.length] as number);
    replicas.push(replica);
    replica.evidence = await createPeerEvidence({
      ...{ self: replica.name, ring, clock: replica.clock, address: () => replica.name, onProblem: () => {} },
      link: {
        get isUp() {
          return replica.hasLink && outages === 0;
        },
      },
      transport: {
        async ask(address, question) {
          exchanges += 1;
          const wait = (ms: number) => new Promise<void>((resolve) => base.after(ms, resolve));
          await wait(delays[exchanges % delays.length] as number);
          const receiver = replicas.find(({ name }) => name === address) as ModelReplica;
          if (receiver.isDead) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
          await wait(Math.max(0, receiver.stalledUntil - base.now()));
          const answer = receiver.evidence?.answer(question);
          await wait(delays[(exchanges * 7) % delays.length] as number);
          await wait(Math.max(0, replica.stalledUntil - base.now()));
          if (answer === undefined || losses > 0) throw new Error("no answer");
          return answer;
        },
      },
    });
    every(replica.clock, 250, () => replica.beat(redis, outages === 0));
  }

  function begin({ kind, replica, lastsMs }: Fault): void {
    const target = replicas[replica % replicas.length] as ModelReplica;
    const later = (end: () => void): void => void base.after(lastsMs, end);
    if (kind === "outage") {
      outages += 1;
      later(() => {
        outages -= 1;
      });
    } else if (kind === "cut off") {
      target.hasLink = false;
      later(() => {
        target.hasLink = true;
      });
    } else if (kind === "lost answers") {
      losses += 1;
      later(() => {
        losses -= 1;
      });
    } else if (kind === "stall") target.stalledUntil = base.now() + lastsMs;
    else if (kind === "kill") target.isDead = true;
    else if (replicas.length < 6) void start();
  }

  for (let count = 0; count < 3; count += 1) await start();
  for (const fault of faults) base.after(fault.atMs, () => begin(fault));
  for (let ms = 0; ms < 20_000; ms += 20) {
    await base.advance(20);
    const serving = replicas.filter(({ isServing }) => isServing).map(({ name }) => name);
    if (serving.length > 1) history.push(`${ms}: ${serving.join(" and ")}`);
  }
  for (const { evidence } of replicas) evidence?.close();
  return history;
}

const kinds = ["outage", "cut off", "stall", "kill", "join", "lost answers"] as const;
const anyFault: fc.Arbitrary<Fault> = fc.record({
  atMs: fc.integer({ min: 1_500, max: 15_000 }),
  lastsMs: fc.integer({ min: 50, max: 6_000 }),
  kind: fc.constantFrom(...kinds),
  replica: fc.nat({ max: 5 }),
});
const anyFaults = fc.array(anyFault, { minLength: 2, maxLength: 12 });
const anyRates = fc.array(fc.double({ min: 0.98, max: 1.02, noNaN: true }), { minLength: 3, maxLength: 6 });
const anyDelays = fc.array(fc.integer({ min: 0, max: 250 }), { minLength: 1, maxLength: 20 });

test("a session never has two owners that count themselves valid", async () => {
  await fc.assert(
    fc.asyncProperty(anyFaults, anyRates, anyDelays, async (faults, rates, delays) => {
      expect(await simulate(faults, rates, delays)).toEqual([]);
    }),
    { numRuns: 40 },
  );
}, 120_000);
