// Checks a gateway with a good and a misbehaving upstream: all calls to the good one succeed.
import { readFileSync } from "node:fs";
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { expect } from "vitest";
import { root } from "../../processes/lethe.ts";
import { childrenOf, isAlive } from "../../processes/process-tree.ts";
import { startBeside } from "../beside.ts";
import { kinds, type Transport } from "../kinds.ts";

const calls = 10;
/** An operator can read the log even when an upstream misbehaves. */
const maxLoggedCharacters = 100_000;
const maxResidentMb = 500;

function peakResidentMb(pid: number | undefined): number {
  if (process.platform !== "linux") return 0;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Triggers the hostile behaviour. The results of these calls do not matter. */
function provoke(client: Client): void {
  for (let count = 0; count < 3; count++) {
    client.callTool("hostile__t", {}, { timeoutMs: 20_000, onProgress: () => {}, onLog: () => {} }).catch(() => {});
  }
  client.readResource("a:5/none").catch(() => {});
}

/** The kinds that can misbehave over this transport. */
export function hostileOver(transport: Transport): string[] {
  return Object.keys(kinds).filter((kind) => kind !== "good" && kinds[kind]?.includes(transport));
}

export async function requireGoodService(kind: string, over: Transport): Promise<void> {
  const beside = await startBeside({ kind, over, root });
  const { url, gateway, logged } = beside;
  let children: number[] = [];
  try {
    const health = async (): Promise<number> => (await fetch(new URL("/healthz", url))).status;
    expect(await health()).toBe(200);
    await using client = await connect(url, { onWarning: () => {} });
    expect((await client.listTools()).map(({ name }) => name)).toContain("good__t");
    await using other = await connect(url, { onWarning: () => {}, elicit: () => ({ action: "cancel" }) });
    provoke(other);
    for (let count = 0; count < calls; count++) {
      expect(await client.callTool("good__t")).toMatchObject({ content: [{ text: "fine" }] });
      if (count % 5 === 0) expect(await health()).toBe(200);
    }
    expect(peakResidentMb(gateway.pid)).toBeLessThan(maxResidentMb);
    children = childrenOf(gateway.pid ?? 0).map(({ pid }) => pid);
  } finally {
    await beside.stop();
  }
  expect(children.filter(isAlive)).toEqual([]);
  expect(logged().length, logged().slice(0, 3_000)).toBeLessThan(maxLoggedCharacters);
}
