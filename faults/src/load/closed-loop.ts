// Callers that each make one call after the other, with a short pause between two calls.
import { setTimeout as sleep } from "node:timers/promises";
import type { CallRecord } from "../check/records.ts";
import { type Fleet, upstreams } from "../fleet/fleet.ts";
import { Caller } from "./caller.ts";

export interface ClosedLoop {
  readonly calls: readonly CallRecord[];
  /** Resolves when each caller has a session at each upstream. */
  readonly warm: Promise<void>;
  /** Resolves when the last call has ended. */
  stop(): Promise<void>;
  /** After `stop`: each caller calls each upstream until a call is ok, at most `attempts` times with a second between two calls. */
  recover(attempts: number): Promise<void>;
}

export interface LoopPlan {
  readonly callers: readonly string[];
  readonly timeoutMs: number;
  readonly random: () => number;
  /** One step of a caller at an upstream. */
  readonly step: (caller: Caller, upstream: string) => Promise<unknown>;
}

export function startClosedLoop(fleet: Fleet, { callers, timeoutMs, random, step }: LoopPlan): ClosedLoop {
  const calls: CallRecord[] = [];
  const warmSessions = new Set<string>();
  let isStopped = false;
  let setWarm: () => void = () => {};
  const warm = new Promise<void>((resolve) => {
    setWarm = resolve;
  });
  const record = (call: CallRecord) => {
    calls.push(call);
    if (call.outcome === "ok") warmSessions.add(`${call.caller} ${call.upstream}`);
    if (warmSessions.size === callers.length * upstreams.length) setWarm();
  };
  const now = () => fleet.now();
  const created = callers.map(
    (name) => new Caller({ url: fleet.url, name, key: fleet.keyOf(name), timeoutMs, now, random, record }),
  );
  async function work(caller: Caller): Promise<void> {
    for (let turn = 0; !isStopped; turn += 1) {
      await step(caller, upstreams[turn % upstreams.length] ?? upstreams[0]);
      await sleep(100 + random() * 50);
    }
  }
  async function recover(caller: Caller, upstream: string, attempts: number): Promise<void> {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if ((await caller.count(upstream)).outcome === "ok") return;
      await sleep(1_000);
    }
  }
  const working = Promise.all(created.map(work));
  return {
    calls,
    warm,
    async stop() {
      isStopped = true;
      await working;
    },
    async recover(attempts) {
      const pairs = created.flatMap((caller) => upstreams.map((upstream) => ({ caller, upstream })));
      await Promise.all(pairs.map(({ caller, upstream }) => recover(caller, upstream, attempts)));
    },
  };
}

export function nameCallers(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `caller${index + 1}`);
}
