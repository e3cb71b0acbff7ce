// Which replicas live and which of them keeps what, in Redis. A replica lives as long as it renews its lease; what it has
// claimed is free as soon as it does not, whether it was killed or cut off. Where the leases of all have lapsed, because Redis
// was away or has lost everything, nothing new is given out until each has had the time to say what it keeps. Scripts name keys
// that depend on each other: this is for one Redis, or one with stand-bys, and not for a Cluster.
import { createHash } from "node:crypto";
import { ReplicaError } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript, type Script } from "../script/create-script.ts";
import type { KeyMarks } from "../seal/key-marks.ts";
import { claimText, holdText, releaseText, renewText } from "./lease-scripts.ts";

export interface LeaseOptions {
  readonly connection: RedisConnection;
  readonly self: string;
  readonly marks: KeyMarks;
  onProblem(problem: string): void;
  /** How long a replica that says nothing counts as alive, in ms. Default 10,000. */
  leaseMs?: number;
}

export interface Lease {
  /** Who keeps it now: this replica, if nobody did. Rejects with ReplicaError. */
  acquire(key: string): Promise<string>;
  holds(key: string): boolean;
  release(key: string): void;
  /** Tells of what this replica kept and another one has claimed meanwhile. Returns how to stop. */
  onLost(listener: (key: string) => void): () => void;
  /** Rejects with ReplicaError. */
  isAlive(replica: string): Promise<boolean>;
  /** It was heard of just now. */
  heardOf(replica: string): void;
  /** Nobody heard what was sent to it, or it takes no more: it may be gone. */
  missed(replica: string): void;
  readonly size: number;
  /** Everything is free for the others from now on, and this replica claims nothing any more. */
  leave(): Promise<void>;
}

/** So long a claim lasts, in leases; it is said again after a third of that. */
const claimLeases = 6;
const holdBatch = 500;
/** What was found out within this part of a lease, of replicas that live and of places they keep, is not asked again. */
const freshPart = 0.1;
const maxFresh = 1_000;
const maxKnown = 10_000;

export async function takeLease(options: LeaseOptions): Promise<Lease> {
  const { connection, self, marks, onProblem, leaseMs = 10_000 } = options;
  const [renew, claim, hold, release] = [renewText, claimText, holdText, releaseText].map((text) =>
    createScript(connection, text),
  ) as [Script, Script, Script, Script];
  const own = connection.nameOf(`lease:${self}`);
  const anybody = connection.nameOf("anybody");
  const quiet = connection.nameOf("quiet");
  const leases = connection.nameOf("lease:");
  const beatMs = leaseMs * 0.3;
  const claimMs = leaseMs * claimLeases;
  const held = new Map<string, string>();
  const claiming = new Map<string, number>();
  /** Until when a replica is known to live. */
  const fresh = new Map<string, number>();
  const keptElsewhere = new Map<string, { readonly keeper: string; readonly until: number }>();
  const whenTaken = new Set<(key: string) => void>();
  let hasTold = false;
  let hasRefused = false;
  let isLeft = false;
  let endsAt = 0;
  let saidAt = performance.now();
  let beating: Promise<void> | undefined;

  /** One at a time, however many ask. Rejects when Redis is away. */
  function beat(): Promise<void> {
    beating ??= sayAlive().finally(() => {
      beating = undefined;
    });
    return beating;
  }

  async function sayAlive(): Promise<void> {
    if (isLeft) return;
    const now = performance.now();
    // Whoever takes a lease for the first time has kept nothing that others would have to wait for.
    const wasRunning = await renew([own, anybody, quiet], [leaseMs, endsAt === 0 ? 0 : leaseMs * 0.4, marks.own]);
    if (wasRunning === 0) saidAt = Number.NEGATIVE_INFINITY;
    if (now - saidAt >= claimMs / 3) {
      await sayHeld();
      saidAt = now;
    }
    // Not before it is known what others have taken over.
    endsAt = now + leaseMs;
  }

  async function sayHeld(): Promise<void> {
    const keys = [...held.keys()];
    for (let start = 0; start < keys.length; start += holdBatch) {
      const batch = keys.slice(start, start + holdBatch).filter((key) => held.has(key));
      const names = batch.map((key) => held.get(key) as string);
      for (const index of (await hold(names, [self, leases, claimMs])) as number[]) {
        lose(batch[index] as string);
      }
    }
  }

  function lose(key: string): void {
    if (held.delete(key)) for (const listener of whenTaken) listener(key);
  }

  /** What Redis says itself: that it is away, or silent, the connection tells. Once, until it goes well again. */
  function tellRefusal(error: Error): void {
    if (error.name !== "ReplyError" || hasRefused) return;
    hasRefused = true;
    const then = `without that, this replica takes all sessions for lost within ${Math.ceil(leaseMs / 1_000)} s`;
    onProblem(`Redis refuses what this replica has to write there: ${error.message}; ${then}`);
  }

  async function keeperOf(name: string): Promise<string> {
    const ask = () => claim([own, quiet, name], [self, leases, claimMs]) as Promise<[string, string?] | number>;
    let found = await ask();
    if (found === -1) found = await beat().then(ask);
    if (typeof found === "number") {
      throw unavailable("after an outage, replicas still tell which of them keeps what", Math.max(found, 1));
    }
    const [keeper, itsMarks] = found;
    if (itsMarks !== undefined) requireFit(keeper, itsMarks);
    return keeper;
  }

  /** What would be sent there would not be heard, and that only be noticed by the silence. */
  function requireFit(replica: string, itsMarks: string): void {
    if (marks.fit(itsMarks)) return;
    const who = `replica ${replica.slice(0, 8)}`;
    if (!hasTold)
      onProblem(`${who} has other keys, and requests for what it keeps are refused: is LETHE_KEYS the same?`);
    hasTold = true;
    const what = "has its session at a replica of the gateway that has other keys";
    throw new ReplicaError("unavailable", what, { retryAfterMs: leaseMs });
  }

  function heardOf(replica: string): void {
    if (fresh.size >= maxFresh) fresh.clear();
    fresh.set(replica, performance.now() + leaseMs * freshPart);
  }

  function isFresh(replica: string): boolean {
    return performance.now() < (fresh.get(replica) ?? 0);
  }

  function remember(key: string, keeper: string): void {
    heardOf(keeper);
    if (keptElsewhere.size >= maxKnown) keptElsewhere.clear();
    keptElsewhere.set(key, { keeper, until: performance.now() + leaseMs * freshPart });
  }

  function nameOf(key: string): string {
    return connection.nameOf(`claim:${createHash("sha256").update(key).digest("base64url")}`);
  }

  await beat();
  const beatOn = () =>
    void beat().then(() => {
      hasRefused = false;
    }, tellRefusal);
  // It may be another Redis than before, which has not heard of everything.
  const onReady = () => {
    saidAt = Number.NEGATIVE_INFINITY;
    beatOn();
  };
  connection.client.on("ready", onReady);
  const timer = setInterval(beatOn, beatMs).unref();

  return {
    async acquire(key) {
      if (isLeft) throw unavailable("this one is being stopped", 1_000);
      const known = keptElsewhere.get(key);
      // Should it have let go meanwhile, it claims the place itself, or passes on what it gets.
      if (known !== undefined && isFresh(known.keeper) && performance.now() < known.until) return known.keeper;
      claiming.set(key, (claiming.get(key) ?? 0) + 1);
      try {
        const name = held.get(key) ?? nameOf(key);
        const keeper = await orUnavailable(keeperOf(name));
        if (keeper === self) held.set(key, name);
        else {
          lose(key);
          remember(key, keeper);
        }
        return keeper;
      } finally {
        const others = (claiming.get(key) ?? 1) - 1;
        if (others > 0) claiming.set(key, others);
        else claiming.delete(key);
      }
    },
    holds: (key) => performance.now() < endsAt && held.has(key),
    release(key) {
      const name = held.get(key);
      // Who claims it at this moment would lose it.
      if (name === undefined || claiming.has(key)) return;
      held.delete(key);
      release([name], [self]).catch(() => {});
    },
    onLost(listener) {
      whenTaken.add(listener);
      return () => void whenTaken.delete(listener);
    },
    async isAlive(replica) {
      if (isFresh(replica)) return true;
      const itsMarks = await orUnavailable(connection.client.getrange(`${leases}${replica}`, 0, 1_023));
      if (itsMarks !== "") requireFit(replica, itsMarks);
      return itsMarks !== "";
    },
    heardOf,
    missed(replica) {
      fresh.delete(replica);
      // What it still says of other requests does not bring it back.
      keptElsewhere.clear();
    },
    get size() {
      return held.size;
    },
    async leave() {
      isLeft = true;
      clearInterval(timer);
      connection.client.off("ready", onReady);
      await beating?.catch(() => {});
      await connection.client.del(own).catch(() => {});
      endsAt = 0;
    },
  };
}

function unavailable(what: string, retryAfterMs: number): ReplicaError {
  const message = `cannot be asked, for it is not known which replica of the gateway keeps its session: ${what}`;
  return new ReplicaError("unavailable", message, { retryAfterMs });
}

async function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ReplicaError) throw error;
    const isRefusal = error instanceof Error && error.name === "ReplyError";
    throw unavailable(isRefusal ? "Redis refuses to say" : "Redis does not answer", 1_000);
  }
}
