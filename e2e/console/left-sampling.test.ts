// A call of the playground that waits for sampling when its page is closed. In 2026-07-28 no message of the page can end it.
import { expect, it } from "vitest";
import { openPage } from "./testing/browser.ts";
import { poll, useConsole, waitMs } from "./testing/console-page.ts";
import { askedForm, callButton, openTool } from "./testing/playground.ts";

const fleet = useConsole();

const samplingTool = "everything__trigger-sampling-request";

async function read(path: string) {
  return (await fetch(`${fleet.origin}/admin/v1/${path}`)).json();
}
async function pendingCount(): Promise<number> {
  return (await read("pending-calls")).pendingCalls.length;
}
/** Running requests and pending calls at the sessions of the server that asks. */
async function usersOfSessions(): Promise<number> {
  const { sessions }: { sessions: readonly { upstream: string; users: number }[] } = await read("sessions");
  return sessions.reduce((sum, { upstream, users }) => sum + (upstream === "everything" ? users : 0), 0);
}

it("stays pending when its tab closes, with its session and nothing else, until an operator cancels it in Activity", async () => {
  const { page, browser, origin } = fleet;
  await openTool(fleet, samplingTool);
  await page.getByRole("combobox", { name: /^Era/ }).selectOption({ label: "2026-07-28" });
  await page.getByLabel("prompt required").fill("name a river");
  const before = await usersOfSessions();
  await callButton(page).click();
  await askedForm(page).waitFor();
  await page.close();

  const { page: operator, faults } = await openPage(browser, origin);
  operator.setDefaultTimeout(waitMs);
  await operator.goto(`${origin}/console/activity?tab=pending`);
  const row = operator.getByRole("row", { name: samplingTool });
  await row.getByText("sampling/createMessage").waitFor();
  expect([await pendingCount(), await usersOfSessions()]).toEqual([1, before + 1]);
  await row.getByRole("button", { name: "Cancel" }).click();
  await operator.getByRole("dialog").getByRole("button", { name: "Cancel it" }).click();
  await operator.getByRole("heading", { name: "No call waits for input" }).waitFor();
  await poll(usersOfSessions).toBe(before);
  await operator.context().close();
  expect(faults).toEqual([]);
});
