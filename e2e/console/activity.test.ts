// Pending calls and processes of the fleet of `npm start` in a real browser: answered, cancelled, killed and recovered.
import { type Client, isInputRequired } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { InputRequiredResult } from "@lethe/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { childrenOf } from "../processes/process-tree.ts";
import { violationsOf } from "./testing/browser.ts";
import { useConsole } from "./testing/console-page.ts";
import { answerWithName, elicitingTool } from "./testing/playground.ts";

const fleet = useConsole();

let client: Client;
beforeEach(async () => {
  client = await connect(fleet.gateway.url, { capabilities: { elicitation: { form: {} } } });
});
afterEach(() => client.close());

/** Calls the tool that asks for input, and leaves the call pending. */
async function leavePending(): Promise<InputRequiredResult> {
  const asked = await client.callTool(elicitingTool, {}, { manual: true });
  if (!isInputRequired(asked)) throw new Error("input_required expected");
  return asked;
}

/** The next request of the caller, whose own response comes too late. */
function retry({ requestState, inputRequests = {} }: InputRequiredResult): Promise<unknown> {
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: "decline" }]));
  const input = { inputResponses, ...(requestState !== undefined && { requestState }) };
  return client.callTool(elicitingTool, {}, { manual: true, input });
}

it.each(["light", "dark"] as const)(
  "answers a pending call in the place of its caller, in the %s theme",
  async (theme) => {
    const { page, open } = fleet;
    await page.emulateMedia({ colorScheme: theme });
    const asked = await leavePending();
    await open("/activity?tab=pending");
    await page.getByRole("button", { name: "Answer" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("String required", { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await answerWithName(dialog, "Grace Hopper");
    await dialog.waitFor({ state: "hidden" });
    await page.getByRole("heading", { name: "No call waits for input" }).waitFor();
    expect(JSON.stringify(await retry(asked))).toContain("Grace Hopper");
  },
);

it("cancels a pending call only after a confirmation, and its caller gets an error", async () => {
  const { page, open } = fleet;
  const asked = await leavePending();
  await open("/activity?tab=pending");
  await page.getByRole("button", { name: "Cancel" }).click();
  const dialog = page.getByRole("dialog");
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Cancel" }).click();
  await dialog.getByRole("button", { name: "Cancel it" }).click();
  await page.getByRole("heading", { name: "No call waits for input" }).waitFor();
  await expect(retry(asked)).rejects.toThrow();
});

it("shows that an upstream was killed, and that it has recovered", async () => {
  const { page, open, gateway } = fleet;
  const memory = () =>
    childrenOf(gateway.child.pid as number).find(({ command }) => command.includes("server-memory"))?.pid;
  await open("/upstreams/memory");
  const row = (pid: number | undefined) => page.getByRole("row", { name: new RegExp(String(pid)) });
  const killed = memory();
  await row(killed).getByText("running").waitFor();
  process.kill(killed as number, "SIGKILL");
  await row(killed).getByText("ended").waitFor();
  await client.callTool("memory__read_graph");
  await row(memory()).getByText("running").waitFor();
  await page.locator(".page-header").getByText("ready").waitFor();
});
