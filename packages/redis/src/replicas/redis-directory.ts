// The directory of a gateway with several replicas, in Redis: who keeps which session, and requests to whoever does.

import type { Dispatch } from "@lethe/protocol";
import type { Directory, KeyRing } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { openMail } from "../mail/mail.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { createKeyMarks } from "../seal/key-marks.ts";
import { takeLease } from "./lease.ts";
import { isFromKeeper, isToKeeper, type Message } from "./message.ts";
import { createReceivedCalls } from "./received-calls.ts";
import { createSentCalls } from "./sent-calls.ts";

export interface RedisDirectoryOptions {
  readonly connection: RedisConnection;
  /** Of the deployment: replicas with other keys do not understand each other. */
  readonly ring: KeyRing;
  /** An endpoint of this replica; undefined when there is none at this path, or none yet. */
  dispatchAt(path: string): Dispatch | undefined;
  onProblem(problem: string): void;
  /** How long a replica that says nothing counts as alive, in ms. Default 10,000. */
  leaseMs?: number;
  /** Requests to other replicas at a time, and from them. Default 10,000. */
  maxCalls?: number;
  /** Of a request or an answer on its way, as JSON. Default 8 MiB. */
  maxMessageBytes?: number;
}

export interface RedisDirectory extends Directory {
  acquire(key: string): Promise<string>;
  holds(key: string): boolean;
  reach(replica: string, path: string): Promise<Dispatch | undefined>;
  /** How many sessions this replica keeps. */
  readonly leases: number;
  /** How many requests went on to other replicas, since the start. */
  readonly sent: number;
  /** How many came from other replicas, since the start. */
  readonly received: number;
  /** Gives up all that it keeps, and lets what runs for other replicas finish for so long, in ms. */
  leave(graceMs: number): Promise<void>;
  /** Ends what runs. */
  close(): Promise<void>;
}

/** Rejects when Redis does not answer. */
export async function createRedisDirectory(options: RedisDirectoryOptions): Promise<RedisDirectory> {
  const { connection, ring, dispatchAt, onProblem, leaseMs = 10_000, maxCalls = 10_000 } = options;
  if (ring.isEphemeral) throw new Error("replicas that share Redis need the same keys (LETHE_KEYS)");
  const self = crypto.randomUUID();
  const { maxMessageBytes: maxBytes = 8 * 1024 * 1024 } = options;
  const envelope = await createEnvelope(ring, { purpose: "replicas", maxBytes });
  // Nobody knows of it before it has a lease.
  const mail = await openMail<Message>({
    ...{ connection, envelope, channel: "replica", self },
    onMessage(from, message) {
      lease.heardOf(from);
      if (isToKeeper(message)) received.hear(from, message);
      else if (isFromKeeper(message)) sent.hear(from, message);
    },
    onForged: () =>
      onProblem(
        "a message came over Redis that no key here opens: it is ignored; have all replicas the same LETHE_KEYS?",
      ),
  });
  const sent = createSentCalls({ mail, maxCalls, silenceMs: leaseMs, onMissed: (replica) => lease.missed(replica) });
  const received = createReceivedCalls({ mail, maxCalls, silenceMs: leaseMs, dispatchAt, onProblem });
  const lease = await takeLease({ connection, self, leaseMs, onProblem, marks: await createKeyMarks(ring) });
  const stopHearing = connection.onHearingAgain(() => {
    sent.missedSome();
    received.missedSome();
  });
  let left: Promise<void> | undefined;

  /** Whoever is refused here finds its place free. */
  async function leaveNow(deadline: number): Promise<void> {
    await lease.leave();
    await received.drain(Math.max(0, deadline - performance.now()));
  }

  function leave(graceMs: number): Promise<void> {
    left ??= leaveNow(performance.now() + graceMs);
    return left;
  }

  return {
    self,
    acquire: lease.acquire,
    holds: lease.holds,
    release: lease.release,
    onLost: lease.onLost,
    async reach(replica, path) {
      if (!(await lease.isAlive(replica))) return undefined;
      return (request, exchange) => sent.send({ replica, path }, request, exchange);
    },
    get leases() {
      return lease.size;
    },
    get sent() {
      return sent.total;
    },
    get received() {
      return received.total;
    },
    leave,
    async close() {
      await leave(0);
      stopHearing();
      await mail.close();
      received.close();
      sent.close();
    },
  };
}
