// The directory of a gateway with several replicas, in PostgreSQL: records the owner of each session and forwards requests to it.

import { checkOptions, type Dispatch } from "@lethe/protocol";
import {
  createKeyFingerprints,
  isFromOwner,
  isToOwner,
  type KeyFingerprints,
  ReceivedCalls,
  requireSameKeys,
  SentCalls,
  settleWithin,
} from "@lethe/server/forwarding";
import { createMessageCipher } from "@lethe/server/sealing";
import { type Acquired, type AcquireOptions, type Directory, type Placement, systemClock } from "@lethe/server/stores";
import { knownPostgresDirectoryOptions, type PostgresDirectoryOptions } from "./directory-options.ts";
import { Lease } from "./lease.ts";
import { Membership } from "./membership.ts";
import { OwnedSessions } from "./owned-sessions.ts";
import { PostgresPlacement } from "./postgres-placement.ts";
import { createReplicaMessages, type ReplicaMessages } from "./replica-messages.ts";
import { SessionOwnership } from "./session-ownership.ts";
import { toTimings } from "./timings.ts";

/** Agrees with other replicas, through PostgreSQL, on which of them owns a session. */
export interface PostgresDirectory extends Directory {
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
  /** How many other replicas are alive. */
  readonly replicas: number;
  /** The ids of the other replicas that are alive. */
  readonly others: readonly string[];
  /** How many other replicas were lost since this one started. */
  readonly replicasLost: number;
  /** How long ago this replica sent the last renewal that PostgreSQL confirmed, in ms. */
  readonly leaseAgeMs: number;
  /** Gives up all sessions, and gives calls of other replicas `graceMs` to finish. */
  leave(graceMs: number): Promise<void>;
  /** Aborts all calls. */
  close(): Promise<void>;
}

/**
 * Connects a replica to the directory in PostgreSQL. Rejects with an Error when PostgreSQL does not answer, and when the keys are ephemeral.
 *
 * @example
 * import { connectPostgres, createPostgresDirectory } from "@lethe/postgres";
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe" });
 * const ring = createKeyRing(`k1:${"A".repeat(43)}`);
 * const directory = await createPostgresDirectory({ postgres, ring, dispatchAt: () => undefined, onProblem: console.error });
 * console.log((await directory.acquire("session")).owner === directory.self); // true
 * await directory.close();
 * await postgres.close();
 */
export async function createPostgresDirectory(options: PostgresDirectoryOptions): Promise<PostgresDirectory> {
  checkOptions("createPostgresDirectory", options, knownPostgresDirectoryOptions);
  const { ring, postgres, onProblem, maxMessageBytes: maxBytes = 8 * 1024 * 1024 } = options;
  requireSameKeys(ring, "PostgreSQL");
  const self = crypto.randomUUID();
  const messages = createReplicaMessages({
    postgres,
    cipher: await createMessageCipher(ring, { purpose: "postgres replicas", maxBytes }),
    self,
    onForged: () =>
      onProblem(
        "a message from PostgreSQL cannot be decrypted and is ignored: check that all replicas have the same LETHE_KEYS",
      ),
  });
  const replica = new Replica(options, { self, fingerprints: await createKeyFingerprints(ring), messages });
  await replica.start();
  return replica;
}

/** How long PostgreSQL may take to end the subscription of a replica that closes, in ms. */
const closeMs = 500;

interface ReplicaParts {
  readonly self: string;
  readonly fingerprints: KeyFingerprints;
  readonly messages: ReplicaMessages;
}

class Replica implements PostgresDirectory {
  readonly self: string;
  readonly placement: Placement;
  readonly #options: PostgresDirectoryOptions;
  readonly #messages: ReplicaMessages;
  readonly #sessions: OwnedSessions;
  readonly #membership: Membership;
  readonly #lease: Lease;
  readonly #ownership: SessionOwnership;
  readonly #sentCalls: SentCalls;
  readonly #receivedCalls: ReceivedCalls;
  #removeListener: (() => void) | undefined;
  #left: Promise<void> | undefined;

  constructor(options: PostgresDirectoryOptions, { self, fingerprints, messages }: ReplicaParts) {
    const { postgres, clock = systemClock, maxCalls = 10_000, lookupMs = Number.POSITIVE_INFINITY } = options;
    const { dispatchAt, onProblem, onReplica = () => {}, onRefused = () => {} } = options;
    const timings = toTimings(options);
    this.self = self;
    this.#options = options;
    this.#messages = messages;
    const common = { postgres, clock, self, timings, onProblem };
    const sessions = new OwnedSessions(postgres);
    const lease = new Lease({ ...common, entry: fingerprints.own, sessions, onRefused });
    const membership = new Membership({
      ...common,
      onChange: (change) => {
        if (change.kind === "lost") this.#sentCalls.onLeaseLost(change.replica);
        onReplica(change);
      },
    });
    const isListed = (replica: string): boolean => membership.isListed(replica);
    const ownership = new SessionOwnership({ ...common, fingerprints, lease, sessions, isListed, lookupMs });
    this.placement = new PostgresPlacement({
      ...common,
      digestOf: (key) => sessions.digestOf(key),
      isKnown: (key) => ownership.isKnown(key),
    });
    this.#membership = membership;
    this.#sessions = sessions;
    this.#lease = lease;
    this.#ownership = ownership;
    this.#sentCalls = new SentCalls({
      ...{ messaging: messages, clock, timings, maxCalls },
      onMissed: (replica) => ownership.missed(replica),
      onRefused: (replica) => ownership.refused(replica),
      onElsewhere: (key) => ownership.foundElsewhere(key),
    });
    this.#receivedCalls = new ReceivedCalls({ messaging: messages, clock, timings, maxCalls, dispatchAt, onProblem });
  }

  async start(): Promise<void> {
    await this.#messages.listen((from, message) => {
      this.#ownership.receivedFrom(from);
      if (isToOwner(message)) this.#receivedCalls.receiveFromSender(from, message);
      else if (isFromOwner(message)) this.#sentCalls.receiveFromOwner(from, message);
    });
    await this.#lease.start();
    await this.#membership.start();
    this.#removeListener = this.#options.postgres.onResubscribed(() => {
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

  get replicas(): number {
    return this.#membership.alive.length;
  }

  get others(): readonly string[] {
    return this.#membership.alive;
  }

  get replicasLost(): number {
    return this.#membership.lost;
  }

  get leaseAgeMs(): number {
    return this.#lease.ageMs;
  }

  leave(graceMs: number): Promise<void> {
    this.#membership.close();
    const { expiresMs } = this.#lease;
    this.#left ??= this.#receivedCalls.drain({ released: this.#lease.leave(), expiresMs }, graceMs);
    return this.#left;
  }

  async close(): Promise<void> {
    await this.leave(0);
    this.#removeListener?.();
    await settleWithin(this.#options.clock ?? systemClock, closeMs, this.#messages.close());
    this.#receivedCalls.close();
    this.#sentCalls.close();
  }
}
