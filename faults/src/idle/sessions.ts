// The calls of an idle run: one by each caller, and the calls of callers whose replica was killed.
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Classified, classify } from "../check/classify.ts";
import { sendRaw } from "../load/raw-client.ts";
import { type IdleFleet, replicaCount } from "./idle-fleet.ts";

const timeoutMs = 60_000;
const concurrency = 24;
/** Calls of one caller until one is served. */
const maxCalls = 30;

export interface Recovered {
  /** From the kill, in ms. */
  readonly begin: number;
  /** The first reply to this caller, and when it arrived. */
  readonly first: Classified & { readonly at: number };
  /** Undefined if no call was served. */
  readonly servedAt: number | undefined;
  readonly replies: readonly Classified[];
}

export class Callers {
  readonly #fleet: IdleFleet;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 512 });

  constructor(fleet: IdleFleet) {
    this.#fleet = fleet;
  }

  /** How many calls failed before the sessions were open, by reason. */
  readonly failures: Record<string, number> = {};

  /** Opens the sessions of these callers, each with one call at the replica `caller % 3`, which is repeated if it fails. */
  async open(from: number, to: number, onProgress: (opened: number) => void = () => {}): Promise<void> {
    let next = from;
    const openSome = async (): Promise<void> => {
      for (let caller = next++; caller < to; caller = next++) {
        await this.#openOne(caller);
        if ((caller + 1) % 1_000 === 0) onProgress(caller + 1);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, openSome));
  }

  /** Calls for each of these callers at one of the replicas until a call is served, at `perSecond` callers. */
  async recover(
    callers: readonly number[],
    { replicas, perSecond, killedAt }: { replicas: readonly number[]; perSecond: number; killedAt: number },
  ): Promise<Recovered[]> {
    const startedAt = performance.now();
    const running = callers.map(async (caller, index) => {
      await sleep(startedAt + (index / perSecond) * 1_000 - performance.now());
      return this.#recoverOne(caller, replicas[index % replicas.length] ?? 0, killedAt);
    });
    return await Promise.all(running);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #openOne(caller: number): Promise<void> {
    for (let calls = 1; calls <= maxCalls; calls += 1) {
      const { outcome, reason = "" } = await this.#call(caller, caller % replicaCount);
      if (outcome === "ok") return;
      this.failures[`${outcome} ${reason}`] = (this.failures[`${outcome} ${reason}`] ?? 0) + 1;
      await sleep(1_000);
    }
    throw new Error(`caller ${caller} was not served: ${JSON.stringify(this.failures)}`);
  }

  async #recoverOne(caller: number, replica: number, killedAt: number): Promise<Recovered> {
    const begin = performance.now() - killedAt;
    const replies: Classified[] = [];
    let first: Recovered["first"] | undefined;
    for (;;) {
      const reply = await this.#call(caller, replica);
      const at = performance.now() - killedAt;
      first ??= { ...reply, at };
      replies.push(reply);
      if (reply.outcome === "ok") return { begin, first, servedAt: at, replies };
      if (replies.length === maxCalls) return { begin, first, servedAt: undefined, replies };
      // A client waits as long as the error says; one second is the least that Retry-After can say.
      if (reply.outcome !== "told") await sleep(1_000);
    }
  }

  async #call(caller: number, replica: number): Promise<Classified> {
    const key = this.#fleet.issuer.tokenOf(caller);
    const target = { url: this.#fleet.urlOf(replica), key, timeoutMs, agent: this.#agent };
    const params = { name: "bare__echo", arguments: { text: `of ${caller}` } };
    return classify(await sendRaw(target, { method: "tools/call", name: "bare__echo", params }));
  }
}
