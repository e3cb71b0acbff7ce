// A running gateway task and a parked question at one replica, to see what becomes of them when that replica is lost.
import { setTimeout as sleep } from "node:timers/promises";
import type { CallRecord } from "../check/records.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { Caller } from "./caller.ts";

export interface Parked {
  /** The calls of the caller, which end after the fault. */
  readonly calls: Promise<readonly CallRecord[]>;
}

/** The caller of the parked work, which has no other calls. */
export const parkedCaller = "parked";

/** Resolves when the task runs and the question is asked. Both belong to one session, so one replica owns them. */
export async function parkWork(fleet: Fleet): Promise<Parked> {
  const calls: CallRecord[] = [];
  const caller = new Caller({
    url: fleet.url,
    name: parkedCaller,
    key: fleet.keyOf(parkedCaller),
    timeoutMs: 60_000,
    now: () => fleet.now(),
    random: Math.random,
    record: (call) => void calls.push(call),
  });
  const running = [caller.task("hcnt", 12_000), caller.ask("hcnt", 10_000)];
  await sleep(4_000);
  return { calls: Promise.all(running) };
}
