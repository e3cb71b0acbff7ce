// Measures the memory of a gateway per idle session and per pending call.
import { setTimeout as wait } from "node:timers/promises";
import { callerKey, type GatewayContender, gateways } from "../gateways.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { openSession } from "../load/session.ts";
import { askingCall, greetCall, messagesOf, toHttpRequest } from "../load/wire.ts";
import { type ControlledGateway, startControlledGateway } from "../measure/gateway-child.ts";
import type { Column } from "../measure/section.ts";
import type { Sample } from "../measure/statistics.ts";
import { rssBytesOfTree } from "../measure/usage.ts";
import { type Plan, readyAtOnce, takeTurns, type Workload } from "./workload.ts";

const sessionCount = 10;
/** The warm-up, so that loading and compilation do not count. */
const warmSessions = 2;

export const gatewaySessionsWorkload: Workload = {
  id: "gateway-sessions",
  isMain: false,
  async run(plan) {
    const able = gateways.filter(({ hasSession, knowsCallers }) => hasSession || knowsCallers);
    const rows = await takeTurns({ ...plan, rounds: 1 }, able, async (it) => readyAtOnce(() => sessions(it, plan)));
    const columns: readonly Column[] = [
      { metric: "heap", label: "heap KB/session", decimals: 1 },
      { metric: "rss", label: "RSS MB/session, server included", decimals: 1 },
    ];
    const title = `${sessionCount} idle sessions with a stdio server`;
    const notes = ["Heap excludes servers. Gateways whose callers share a server need no memory per session."];
    return { id: "gateway-sessions", title, columns, rows, notes };
  },
};

async function sessions(gateway: GatewayContender, { cores }: Plan): Promise<Sample> {
  const all = warmSessions + sessionCount;
  const child = await startControlledGateway(gateway, cores, { CALLERS: String(all) });
  try {
    const begin = (from: number, to: number) =>
      Promise.all(Array.from({ length: to - from }, (_, index) => beginSession(gateway, child, from + index)));
    await begin(0, warmSessions);
    const before = await sizesOf(child);
    await begin(warmSessions, all);
    const after = await sizesOf(child);
    return {
      heap: (after.heap - before.heap) / 1e3 / sessionCount,
      rss: (after.rss - before.rss) / 1e6 / sessionCount,
    };
  } finally {
    await child.stop();
  }
}

/** Sends one call, which starts the session. */
async function beginSession(gateway: GatewayContender, { port }: ControlledGateway, index: number): Promise<void> {
  const headers = gateway.hasSession ? await openSession(port) : [`Authorization: Bearer ${callerKey(index)}`];
  const answer = await ask(port, toHttpRequest(gateway.wire, greetCall(gateway.wire, 1), headers));
  checkHttpAnswer(answer, 1, checkGreeting);
}

async function sizesOf(child: ControlledGateway): Promise<{ heap: number; rss: number }> {
  await wait(500);
  return { heap: await child.heapBytes(), rss: rssBytesOfTree(child.pid) ?? Number.NaN };
}

const pendingCount = 24;
const warmPending = 4;

/** Only a gateway whose callers retry a call keeps pending calls; others hold a connection open. */
export const gatewayPendingWorkload: Workload = {
  id: "gateway-pending",
  isMain: false,
  async run(plan) {
    const able = gateways.filter(({ knowsCallers }) => knowsCallers);
    const rows = await takeTurns({ ...plan, rounds: 1 }, able, async (it) => readyAtOnce(() => pending(it, plan)));
    const columns: readonly Column[] = [
      { metric: "heap", label: "heap KB/call", decimals: 2 },
      { metric: "state", label: "state bytes with the client", decimals: 0 },
    ];
    const title = `${pendingCount} calls of a stdio server that wait for input, each of another caller`;
    return { id: "gateway-pending", title, columns, rows, notes: [] };
  },
};

/** Each caller has a process, because a process runs only one call that waits for input. The processes run before the measurement. */
async function pending(gateway: GatewayContender, { cores }: Plan): Promise<Sample> {
  const callers = Array.from({ length: warmPending + pendingCount }, (_, index) => index);
  const child = await startControlledGateway(gateway, cores, { ASKS: "1", CALLERS: String(callers.length) });
  try {
    for (const caller of callers) await beginSession(gateway, child, caller);
    let state = 0;
    const waitForInput = async (some: readonly number[]): Promise<void> => {
      for (const caller of some) state = await beginPending(child.port, caller);
    };
    await waitForInput(callers.slice(0, warmPending));
    const before = await child.heapBytes();
    await waitForInput(callers.slice(warmPending));
    const after = await child.heapBytes();
    return { heap: (after - before) / 1e3 / pendingCount, state };
  } finally {
    await child.stop();
  }
}

/** Returns the length of the `requestState`. */
async function beginPending(port: number, caller: number): Promise<number> {
  const headers = [`Authorization: Bearer ${callerKey(caller)}`];
  const { body } = await ask(port, toHttpRequest("modern", askingCall(caller + 1), headers));
  const { requestState } = messagesOf(body)[0]?.result ?? {};
  if (requestState === undefined) throw new Error(`no input request: ${body.slice(0, 200)}`);
  return requestState.length;
}
