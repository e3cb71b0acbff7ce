// The directory of a gateway with several replicas, in Redis: records the owner of each session and forwards requests to it.

import type { Dispatch } from "@lethe/protocol";
import type { Directory, KeyRing } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { openMessaging } from "../messages/messaging.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { createKeyFingerprints } from "../seal/key-fingerprints.ts";
import { takeLease } from "./lease.ts";
import { isFromOwner, isToOwner, type Message } from "./message.ts";
import { createReceivedCalls } from "./received-calls.ts";
import { createSentCalls } from "./sent-calls.ts";

export interface RedisDirectoryOptions {
  readonly connection: RedisConnection;
  /** The keys of the deployment. Replicas with other keys cannot read each other's messages. */
  readonly ring: KeyRing;
  /** Returns the endpoint of this replica at `path`, or undefined when there is none. */
  dispatchAt(path: string): Dispatch | undefined;
  /** Called with problems that an operator should know. */
  onProblem(problem: string): void;
  /** How long a replica counts as alive after its last lease renewal, in ms. Default 10,000. */
  leaseMs?: number;
  /** Concurrent requests to other replicas, and from them. Default 10,000 each. */
  maxCalls?: number;
  /** Size of a forwarded request or answer as JSON, in bytes. Default 8 MiB. */
  maxMessageBytes?: number;
}

export interface RedisDirectory extends Directory {
  acquire(key: string): Promise<string>;
  holds(key: string): boolean;
  reach(replica: string, path: string): Promise<Dispatch | undefined>;
  /** How many sessions this replica owns. */
  readonly leases: number;
  /** How many requests this replica forwarded since it started. */
  readonly sent: number;
  /** How many requests other replicas forwarded to this one since it started. */
  readonly received: number;
  /** Gives up all sessions, and gives calls of other replicas `graceMs` to finish. */
  leave(graceMs: number): Promise<void>;
  /** Aborts all calls. */
  close(): Promise<void>;
}

/**
 * Connects a replica to the directory in Redis. Rejects with an Error when Redis does not answer, or when the keys are ephemeral.
 *
 * @example
 * import { connectRedis, createRedisDirectory } from "@lethe/redis";
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const connection = await connectRedis({ url: "redis://127.0.0.1:6379" });
 * const ring = createKeyRing(`k1:${"A".repeat(43)}`);
 * const directory = await createRedisDirectory({ connection, ring, dispatchAt: () => undefined, onProblem: console.error });
 * console.log((await directory.acquire("session")) === directory.self); // true
 * await directory.close();
 * connection.close();
 */
export async function createRedisDirectory(options: RedisDirectoryOptions): Promise<RedisDirectory> {
  const { connection, ring, dispatchAt, onProblem, leaseMs = 10_000, maxCalls = 10_000 } = options;
  if (ring.isEphemeral) throw new Error("replicas that share Redis need the same keys (LETHE_KEYS)");
  const self = crypto.randomUUID();
  const { maxMessageBytes: maxBytes = 8 * 1024 * 1024 } = options;
  const envelope = await createEnvelope(ring, { purpose: "replicas", maxBytes });
  const messaging = await openMessaging<Message>({
    ...{ connection, envelope, channel: "replica", self },
    onMessage(from, message) {
      lease.receivedFrom(from);
      if (isToOwner(message)) received.receive(from, message);
      else if (isFromOwner(message)) sent.receive(from, message);
    },
    onForged: () =>
      onProblem(
        "a message from Redis cannot be decrypted and is ignored: check that all replicas have the same LETHE_KEYS",
      ),
  });
  const sent = createSentCalls({
    messaging,
    maxCalls,
    silenceMs: leaseMs,
    onMissed: (replica) => lease.missed(replica),
  });
  const received = createReceivedCalls({ messaging, maxCalls, silenceMs: leaseMs, dispatchAt, onProblem });
  const lease = await takeLease({
    connection,
    self,
    leaseMs,
    onProblem,
    fingerprints: await createKeyFingerprints(ring),
  });
  const removeListener = connection.onResubscribed(() => {
    sent.onMessagesLost();
    received.onMessagesLost();
  });
  let left: Promise<void> | undefined;

  /** Releases the sessions first, so that a rejected request finds its session free elsewhere. */
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
    acquire: (key) => lease.acquire(key),
    holds: (key) => lease.holds(key),
    release: (key) => lease.release(key),
    onLost: (listener) => lease.onLost(listener),
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
      removeListener();
      await messaging.close();
      received.close();
      sent.close();
    },
  };
}
