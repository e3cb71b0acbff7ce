// Replay protection for `requestState` tokens (E-28), shared by all processes with the same keys.

import { createHash, randomUUID } from "node:crypto";
import { checkOptions, type KnownOptions, overloaded } from "@lethe/protocol";
import { withDeadline } from "@lethe/server/forwarding";
import {
  createMessageCipher,
  knownSharedKeys,
  type MessageCipher,
  ringOf,
  type SharedKeys,
} from "@lethe/server/sealing";
import {
  type AnswerLimits,
  AnswerShares,
  type Claim,
  type Round,
  type SingleUseStore,
  storeDefaults,
} from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import {
  claimRound,
  forgetAnswers,
  makeRoom,
  readRound,
  releaseRound,
  renewRounds,
  settleRound,
} from "./single-use-statements.ts";

/** The limits on answers apply to each process. */
export interface PostgresSingleUseOptions extends SharedKeys, AnswerLimits {
  /** Used states kept for all callers without authentication together, until they expire. Default 100,000. */
  maxStates?: number;
  /** Used states kept per authenticated caller. Default 10,000. */
  maxStatesPerCaller?: number;
  /** How long a round counts as running after its process died, in ms. Default 30,000. */
  leaseMs?: number;
}

const knownPostgresSingleUseOptions: KnownOptions<PostgresSingleUseOptions> = {
  ...knownSharedKeys,
  maxStates: true,
  maxStatesPerCaller: true,
  leaseMs: true,
  keepAnswersMs: true,
  maxAnswerBytes: true,
  maxAnswerBytesPerCaller: true,
};

const defaultLimits = {
  ...storeDefaults.singleUse,
  leaseMs: 30_000,
} as const;

const retryAfterMs = 1_000;
/** How long a request waits for its answer to be stored, in ms. */
const settleMs = 1_000;
/** The tolerated difference between the clocks of processes, in ms. */
const clockSkewMs = 60_000;
/** Size of one encrypted answer, in bytes. */
const maxSealedBytes = 4 * 1024 * 1024;
/** Rounds whose claim or release PostgreSQL may not have executed; the oldest count as lost. */
const maxUnclear = 1_000;
/** Expired states that one claim deletes when the limit is reached. */
const maxRemoved = 100;

interface RoundRow {
  readonly inputs: string | null;
  readonly answer: string | null;
  readonly isKept: boolean | null;
  readonly process: string | null;
  readonly isLeased: boolean | null;
}

/**
 * Creates the store for the option `singleUse`. It works as long as the connection. While PostgreSQL is away, the store fails closed:
 * `claim` rejects with a retryable McpError. Rejects without keys.
 *
 * @example
 * import { connectPostgres, createPostgresSingleUseStore } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const singleUse = await createPostgresSingleUseStore(postgres, { keys: `k1:${"A".repeat(43)}` });
 * const round = { id: crypto.randomUUID(), callerId: undefined, expiresAt: Date.now() + 60_000, inputs: "yes" };
 * console.log(await singleUse.claim(round)); // { status: 'claimed' }
 * await postgres.close();
 */
export async function createPostgresSingleUseStore(
  postgres: Pick<PostgresLink, "prefix" | "run">,
  options: PostgresSingleUseOptions = {},
): Promise<SingleUseStore> {
  checkOptions("createPostgresSingleUseStore", options, knownPostgresSingleUseOptions);
  const ring = ringOf(options, "answered questions");
  const cipher = await createMessageCipher(ring, { purpose: "single-use", maxBytes: maxSealedBytes });
  return new PostgresSingleUseStore(postgres, cipher, options);
}

class PostgresSingleUseStore implements SingleUseStore {
  readonly #postgres: Pick<PostgresLink, "prefix" | "run">;
  readonly #cipher: MessageCipher;
  readonly #limits: Required<Omit<PostgresSingleUseOptions, "keys" | "maxAnswerBytes" | "maxAnswerBytesPerCaller">>;
  readonly #shares: AnswerShares;
  readonly #self = randomUUID();
  /** The rounds that this process runs. */
  readonly #running = new Set<string>();
  /** How many claims of a round wait for the answer of PostgreSQL. One of them may have been the first. */
  readonly #claiming = new Map<string, number>();
  /** Rounds that have not run although PostgreSQL may list them under this process, because its answer was lost. */
  readonly #unclear = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    postgres: Pick<PostgresLink, "prefix" | "run">,
    cipher: MessageCipher,
    options: PostgresSingleUseOptions,
  ) {
    this.#postgres = postgres;
    this.#cipher = cipher;
    this.#limits = { ...defaultLimits, ...options };
    this.#shares = new AnswerShares(options);
  }

  async claim(round: Round): Promise<Claim> {
    try {
      const claim = await this.#begin(round);
      if (claim.status === "claimed") {
        this.#unclear.delete(round.id);
        this.#keepLeases();
      }
      return claim;
    } catch {
      if (!this.#running.has(round.id)) this.#noteUnclear(round.id);
      const what = "whether this requestState was used is unknown at the moment; retry";
      throw overloaded(what, retryAfterMs, { reason: "unavailable" });
    }
  }

  async settle(round: Round, answer: string | undefined): Promise<void> {
    this.#end(round.id);
    // While PostgreSQL is away the answer is not stored, and a retry gets "lost".
    await withDeadline(settleMs, this.#remember(round, answer)).catch(() => {});
  }

  async release({ id }: Round): Promise<void> {
    this.#end(id);
    this.#noteUnclear(id);
    await withDeadline(settleMs, this.#run(releaseRound, id)).catch(() => {});
  }

  async #begin(round: Round): Promise<Claim> {
    const { id, callerId, inputs } = round;
    if (await this.#insert(round)) return { status: "claimed" };
    const [row] = await this.#run<RoundRow>(readRound, id);
    if (row) return this.#judge(round, row);
    const { length } = await this.#run(makeRoom, digestOf(callerId), maxRemoved);
    if (length > 0 && (await this.#insert({ ...round, inputs }))) return { status: "claimed" };
    return { status: "full", isCaller: callerId !== undefined };
  }

  async #insert({ id, callerId, expiresAt, inputs }: Round): Promise<boolean> {
    const { maxStates, maxStatesPerCaller, leaseMs } = this.#limits;
    const keptMs = Math.max(0, Math.ceil(expiresAt) - Date.now()) + clockSkewMs;
    const max = callerId === undefined ? maxStates : maxStatesPerCaller;
    const content = [this.#cipher.seal({ inputs }, id), this.#self, leaseMs];
    this.#claiming.set(id, (this.#claiming.get(id) ?? 0) + 1);
    try {
      const claimed = await this.#run(claimRound, id, digestOf(callerId), keptMs, max, ...content);
      if (claimed.length > 0) this.#running.add(id);
      return claimed.length > 0;
    } finally {
      const others = (this.#claiming.get(id) ?? 1) - 1;
      if (others > 0) this.#claiming.set(id, others);
      else this.#claiming.delete(id);
    }
  }

  #judge({ id, inputs }: Round, row: RoundRow): Claim {
    if (row.inputs === null || this.#cipher.open(row.inputs, id)?.inputs !== inputs) return { status: "used" };
    if (row.answer !== null) {
      const answer = row.isKept ? this.#cipher.open(row.answer, id)?.answer : undefined;
      return typeof answer === "string" ? { status: "answered", answer } : { status: "used" };
    }
    if (!row.isLeased) return { status: "lost" };
    if (row.process !== this.#self || this.#running.has(id) || this.#claiming.has(id)) return { status: "running" };
    if (!this.#unclear.has(id)) return { status: "lost" };
    this.#running.add(id);
    return { status: "claimed" };
  }

  /** Without a lease, a round of a killed process would seem to run until its token expires. */
  #keepLeases(): void {
    const { leaseMs } = this.#limits;
    this.#timer ??= setInterval(() => {
      void this.#run(renewRounds, this.#self, leaseMs, [...this.#running]).catch(() => {});
    }, leaseMs / 3).unref();
  }

  #end(id: string): void {
    this.#running.delete(id);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #noteUnclear(id: string): void {
    this.#unclear.add(id);
    if (this.#unclear.size > maxUnclear) this.#unclear.delete(this.#unclear.values().next().value as string);
  }

  async #remember({ id, callerId }: Round, answer: string | undefined): Promise<void> {
    const forgotten = answer === undefined ? undefined : this.#shares.add(id, callerId, answer);
    if (!forgotten) return void (await this.#run(forgetAnswers, [id]));
    if (forgotten.length > 0) await this.#run(forgetAnswers, forgotten);
    await this.#run(settleRound, id, this.#cipher.seal({ answer }, id), this.#limits.keepAnswersMs);
  }

  #run<R extends object>(
    statement: Parameters<PostgresLink["run"]>[0],
    ...values: Parameters<PostgresLink["run"]>[1]
  ): Promise<readonly R[]> {
    return this.#postgres.run<R>(statement, [this.#postgres.prefix, ...values]);
  }
}

function digestOf(callerId: string | undefined): string {
  return callerId === undefined ? "" : createHash("sha256").update(callerId).digest("base64url");
}
