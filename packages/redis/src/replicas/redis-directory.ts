// The directory of a gateway with several replicas, in Redis: records the owner of each session and forwards requests to it.

import { checkOptions, type Dispatch } from "@lethe/protocol";
import {
  createKeyFingerprints,
  isFromOwner,
  isToOwner,
  type KeyFingerprints,
  type Message,
  ReceivedCalls,
  requireSameKeys,
  SentCalls,
  sendRepeatable,
  settleWithin,
} from "@lethe/server/forwarding";
import { createMessageCipher } from "@lethe/server/sealing";
import { type Acquired, type AcquireOptions, type Directory, type Placement, systemClock } from "@lethe/server/stores";
import { type DirectLinks, type DirectSettings, openDirectLinks } from "../links/direct-links.ts";
import { createMessaging, type Messaging } from "../messages/messaging.ts";
import { knownRedisDirectoryOptions, type RedisDirectoryOptions } from "./directory-options.ts";
import { createRedisEvidence } from "./evidence.ts";
import { Lease } from "./lease.ts";
import { formatLeaseEntry } from "./lease-entry.ts";
import { type ListedMember, Membership, type ReplicaChange } from "./membership.ts";
import { OwnedSessions } from "./owned-sessions.ts";
import { RedisPlacement } from "./redis-placement.ts";
import { Restraint } from "./restraint.ts";
import { SessionOwnership } from "./session-ownership.ts";
import { Suspicion } from "./suspicion.ts";
import { toTimings } from "./timings.ts";

/** Agrees with other replicas, through Redis, on which of them owns a session. */
export interface RedisDirectory extends Directory {
  acquire(key: string, options?: AcquireOptions): Promise<Acquired>;
  holds(key: string): boolean;
  onLost(listener: (key: string) => void): () => void;
  reach(replica: string, path: string, key?: string): Promise<Dispatch | undefined>;
  readonly placement: Placement;
  /** How many sessions this replica owns. */
  readonly leases: number;
  /** How many requests this replica forwarded since it started. */
  readonly sent: number;
  /** How many requests other replicas forwarded to this one since it started. */
  readonly received: number;
  /** How many messages this replica sent to others, by what carried them. */
  readonly messages: { readonly redis: number; readonly direct: number };
  /** How many direct connections to other replicas there are. */
  readonly links: number;
  /** How many other replicas are alive. */
  readonly replicas: number;
  /** The ids of the other replicas that are alive. */
  readonly others: readonly string[];
  /** How many other replicas were lost since this one started. */
  readonly replicasLost: number;
  /** False while the heartbeat of this replica to Redis is overdue. */
  readonly isRenewed: boolean;
  /** How long ago this replica sent the last heartbeat that Redis confirmed, in ms. */
  readonly leaseAgeMs: number;
  /** Gives up all sessions, and gives calls of other replicas `graceMs` to finish. */
  leave(graceMs: number): Promise<void>;
  /** Aborts all calls. */
  close(): Promise<void>;
}

/**
 * Connects a replica to the directory in Redis. Rejects with an Error when Redis does not answer, when the keys are
 * ephemeral, or when the times contradict each other.
 *
 * @example
 * import { connectRedis, createRedisDirectory } from "@lethe/redis";
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const connection = await connectRedis({ url: "redis://127.0.0.1:6379" });
 * const ring = createKeyRing(`k1:${"A".repeat(43)}`);
 * const directory = await createRedisDirectory({ connection, ring, dispatchAt: () => undefined, onProblem: console.error });
 * console.log((await directory.acquire("session")).owner === directory.self); // true
 * await directory.close();
 * connection.close();
 */
export async function createRedisDirectory(options: RedisDirectoryOptions): Promise<RedisDirectory> {
  checkOptions("createRedisDirectory", options, knownRedisDirectoryOptions);
  const { ring, self = crypto.randomUUID(), onProblem } = options;
  const connection = options.connection.home ?? options.connection;
  requireSameKeys(ring, "Redis");
  const { maxMessageBytes: maxBytes = 8 * 1024 * 1024 } = options;
  const fingerprints = await createKeyFingerprints(ring);
  const cipher = await createMessageCipher(ring, { purpose: "replicas", maxBytes });
  const direct = options.direct && (await openDirect(options.direct, { ...options, self, maxBytes }));
  const messaging = createMessaging<Message>({
    ...{ connection, cipher, channel: "replica", self, direct },
    onForged: () =>
      onProblem(
        "a message from Redis cannot be decrypted and is ignored: check that all replicas have the same LETHE_KEYS",
      ),
  });
  const replica = new Replica({ ...options, connection }, { self, fingerprints, messaging, direct });
  try {
    await replica.start();
  } catch (error) {
    await direct?.close();
    throw error;
  }
  return replica;
}

function openDirect(
  settings: DirectSettings,
  options: RedisDirectoryOptions & { readonly self: string; readonly maxBytes: number },
): Promise<DirectLinks> {
  const { self, ring, connection, clock = systemClock, localHost, maxBytes, onLink = () => {}, onProblem } = options;
  const { silenceMs } = toTimings(options);
  return openDirectLinks({
    ...settings,
    self,
    ring,
    clock,
    localHost,
    maxBytes,
    silenceMs,
    isRedisUp: () => connection.isUp,
    onChange: onLink,
    onProblem,
  });
}

/** How long Redis may take to end the subscription of a replica that closes, in ms. */
const closeMs = 500;

interface ReplicaParts {
  readonly self: string;
  readonly fingerprints: KeyFingerprints;
  readonly messaging: Messaging<Message>;
  readonly direct: DirectLinks | undefined;
}

class Replica implements RedisDirectory {
  readonly self: string;
  readonly placement: Placement;
  readonly #options: RedisDirectoryOptions;
  readonly #messaging: Messaging<Message>;
  readonly #direct: DirectLinks | undefined;
  readonly #sessions: OwnedSessions;
  readonly #membership: Membership;
  readonly #lease: Lease;
  readonly #ownership: SessionOwnership;
  readonly #sentCalls: SentCalls;
  readonly #receivedCalls: ReceivedCalls;
  #removeListener: (() => void) | undefined;
  #left: Promise<void> | undefined;

  constructor(options: RedisDirectoryOptions, { self, fingerprints, messaging, direct }: ReplicaParts) {
    const { connection, clock = systemClock, evidence = createRedisEvidence(), address, maxCalls = 10_000 } = options;
    const { dispatchAt, onProblem, onReplica = () => {} } = options;
    const { lookupMs = Number.POSITIVE_INFINITY } = options;
    const timings = toTimings(options);
    const entry = formatLeaseEntry({
      fingerprints: fingerprints.own,
      validMs: timings.validMs,
      leaseMs: timings.leaseMs,
      address,
      direct: direct?.address,
    });
    this.self = self;
    this.#options = options;
    this.#messaging = messaging;
    this.#direct = direct;
    const common = { connection, clock, self, entry, timings, evidence, onProblem };
    const restraint = new Restraint(common);
    const suspicion = new Suspicion({ ...common, restraint });
    const onChange = (change: ReplicaChange): void => {
      if (change.kind === "lost") this.#sentCalls.onLeaseLost(change.replica);
      onReplica(change);
    };
    const onListed = direct && ((members: readonly ListedMember[]) => direct.observe(members));
    const announce = (replica: string): void => sendRepeatable(messaging, replica, { kind: "joined" });
    const membership = new Membership({ ...common, restraint, suspicion, onChange, announce, onListed });
    const sessions = new OwnedSessions(common);
    const lease = new Lease({ ...common, restraint, sessions, membership });
    const isListed = (replica: string): boolean => membership.isListed(replica);
    const ownership = new SessionOwnership({ ...common, restraint, sessions, lease, fingerprints, lookupMs, isListed });
    this.placement = new RedisPlacement({
      ...{ connection, self },
      nameOf: (key) => sessions.nameOf(key),
      isKnown: (key) => sessions.has(key) || ownership.knowsOwner(key),
    });
    this.#membership = membership;
    this.#sessions = sessions;
    this.#lease = lease;
    this.#ownership = ownership;
    this.#sentCalls = new SentCalls({
      ...{ messaging, clock, timings, maxCalls },
      onMissed(replica) {
        ownership.missed(replica);
        membership.suspect(replica);
      },
      onRefused: (replica) => ownership.refused(replica),
      onElsewhere: (key) => ownership.foundElsewhere(key),
    });
    this.#receivedCalls = new ReceivedCalls({ messaging, clock, timings, maxCalls, dispatchAt, onProblem });
  }

  async start(): Promise<void> {
    await this.#messaging.listen((from, message, carrier) => {
      // A message that came directly does not show that its sender reaches Redis, without which it loses its sessions.
      if (carrier === "redis") this.#ownership.receivedFrom(from);
      if (isToOwner(message)) this.#receivedCalls.receiveFromSender(from, message);
      else if (isFromOwner(message)) this.#sentCalls.receiveFromOwner(from, message);
      else if (message.kind === "joined") this.#membership.announced(from);
    });
    await this.#lease.start();
    this.#removeListener = this.#options.connection.onResubscribed(() => {
      this.#ownership.reconnected();
      this.#sentCalls.onMessagesLost();
      this.#receivedCalls.onMessagesLost();
    });
  }

  acquire(key: string, options?: AcquireOptions): Promise<Acquired> {
    return this.#ownership.acquire(key, options);
  }

  holds(key: string): boolean {
    return this.#lease.isValid() && this.#sessions.has(key);
  }

  release(key: string): void {
    this.#ownership.release(key);
  }

  onLost(listener: (key: string) => void): () => void {
    return this.#sessions.onLost(listener);
  }

  async reach(replica: string, path: string, key?: string): Promise<Dispatch | undefined> {
    if (!(await this.#ownership.isAlive(replica))) return undefined;
    return (request, exchange) => this.#sentCalls.send({ replica, path, key }, request, exchange);
  }

  get leases(): number {
    return this.#sessions.size;
  }

  get sent(): number {
    return this.#sentCalls.total;
  }

  get received(): number {
    return this.#receivedCalls.total;
  }

  get messages(): { readonly redis: number; readonly direct: number } {
    return this.#messaging.counts;
  }

  get links(): number {
    return this.#direct?.size ?? 0;
  }

  get replicas(): number {
    return this.#membership.others;
  }

  get others(): readonly string[] {
    return this.#membership.alive;
  }

  get replicasLost(): number {
    return this.#membership.lost;
  }

  get isRenewed(): boolean {
    return this.#lease.isRenewed;
  }

  get leaseAgeMs(): number {
    return this.#lease.ageMs;
  }

  leave(graceMs: number): Promise<void> {
    const { expiresMs } = this.#lease;
    this.#left ??= this.#receivedCalls.drain({ released: this.#lease.leave(), expiresMs }, graceMs);
    return this.#left;
  }

  async close(): Promise<void> {
    await this.leave(0);
    this.#removeListener?.();
    await settleWithin(this.#options.clock ?? systemClock, closeMs, this.#messaging.close());
    this.#receivedCalls.close();
    this.#sentCalls.close();
    await this.#direct?.close();
  }
}
