// Calls of the playground when their page goes away: each is cancelled at the gateway, in both eras.
import { expect, it } from "vitest";
import { poll, useConsole } from "./testing/console-page.ts";
import { askedForm, callButton, elicitingTool, openTool, results } from "./testing/playground.ts";

const fleet = useConsole();

const runningTool = "everything__trigger-long-running-operation";

interface Listed {
  readonly exchanges: readonly { readonly name?: string; readonly outcome: string }[];
  readonly pendingCalls: readonly unknown[];
}

async function read<Kind extends keyof Listed>(kind: Kind, path: string): Promise<Listed[Kind]> {
  const response = await fetch(`${fleet.origin}/admin/v1/${path}`);
  return ((await response.json()) as Listed)[kind];
}
const endedCalls = async (name: string) => {
  const exchanges = await read("exchanges", "exchanges?limit=500");
  return exchanges.filter((exchange) => exchange.name === name).length;
};
const pendingCount = async () => (await read("pendingCalls", "pending-calls")).length;

const closeTab = ["its tab closes", () => fleet.page.close()] as const;
const openOther = ["it opens another page", () => fleet.page.goto(`${fleet.origin}/healthz`)] as const;
const ways = [
  ["2026-07-28", ...closeTab],
  ["Legacy session", ...closeTab],
  ["Legacy session", ...openOther],
] as const;

async function call(tool: string, era: string): Promise<void> {
  await openTool(fleet, tool);
  await fleet.page.getByRole("combobox", { name: /^Era/ }).selectOption({ label: era });
}

// Before the others: the server works on after a cancellation, and a call that asks waits for such work.
it.each(ways)("ends the wait for an elicitation in the era %s when %s", async (era, _way, leave) => {
  const { page } = fleet;
  await call(elicitingTool, era);
  await callButton(page).click();
  await askedForm(page).waitFor();
  expect(await pendingCount()).toBe(1);
  await leave();
  await poll(pendingCount).toBe(0);
});

it.each(ways)("cancels a running call in the era %s when %s", async (era, _way, leave) => {
  const { page } = fleet;
  await call(runningTool, era);
  await page.getByLabel("duration").fill("300");
  await page.getByLabel("steps").fill("600");
  await callButton(page).click();
  const progress = results(page).getByText(/^progress/);
  await progress.first().waitFor();
  const before = await endedCalls(runningTool);
  await leave();
  await poll(() => endedCalls(runningTool)).toBe(before + 1);
});
