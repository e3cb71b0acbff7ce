// Three replicas with one Redis in a real browser: the console of one replica shows and operates all of them as one system.
import { join } from "node:path";
import { isInputRequired } from "@lethe/client";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type GatewayFleet, startFleet } from "../load-balancer/gateway-fleet.ts";
import { root } from "../processes/lethe.ts";
import { childrenOf } from "../processes/process-tree.ts";
import { openBrowser, openPage, violationsOf, type WatchedPage } from "./testing/browser.ts";
import { poll, waitMs } from "./testing/console-page.ts";
import { answerWithName, elicitingTool } from "./testing/playground.ts";

const published = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});
/** The replica at which one server does not start. */
const broken = 1;
/** The replica whose configuration has one server more. */
const newer = 2;
const failing = { command: process.execPath, args: ["-e", "console.error('no disk'); process.exit(1)"] };
/** A step of the charts. */
const stepMs = 10_000;
const slowTool = "slow__trigger-long-running-operation";

let browser: Browser;
let fleet: GatewayFleet;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, fleet] = await Promise.all([
    openBrowser(),
    startFleet({
      servers: (replica) => ({
        everything: published("everything", "stdio"),
        slow: published("everything", "stdio"),
        billing: replica === broken ? failing : published("memory"),
        ...(replica === newer && { reports: published("memory") }),
      }),
      upstreams: { slow: { tasks: "auto", tools: { allow: ["trigger-long-running-operation", "echo"] } } },
      callers: ["ann"],
    }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await fleet?.close();
});
beforeEach(async () => {
  watched = await openPage(browser, originOf(0));
  ({ page } = watched);
  page.setDefaultTimeout(waitMs);
});
afterEach(async () => {
  await page.context().close();
  expect(watched.faults).toEqual([]);
});

const urlOf = (replica: number) => fleet.replicas[replica]?.url ?? "";
const originOf = (replica: number) => new URL(urlOf(replica)).origin;
/** Opens the console of the first replica. */
const open = (path: string) => page.goto(`${originOf(0)}/console${path}`);
const connectTo = (replica: number, options = {}) => fleet.connect("ann", options, urlOf(replica));
/** The first characters of the id of a replica, by its place. */
async function idOf(replica: number): Promise<string> {
  const { replica: id } = await readOverview(replica);
  return id;
}
async function readOverview(replica: number) {
  return (await fetch(`${originOf(replica)}/admin/v1/overview`)).json();
}
/** The number that a text begins with. */
const countIn = (text: string | null | undefined) => Number.parseInt(text ?? "", 10);
async function sumOf(locator: Locator): Promise<number> {
  return (await locator.allTextContents()).reduce((sum, text) => sum + countIn(text), 0);
}
const elicits = { capabilities: { elicitation: { form: {} } } };

it("shows the same figures in the tiles, in the diagram and in the table, at each replica", async () => {
  for (const [replica, calls] of [5, 4, 3].entries()) {
    const client = await connectTo(replica);
    for (let call = 0; call < calls; call += 1) await client.callTool("everything__echo", { message: "hello" });
  }
  const totals = await Promise.all(fleet.replicas.map(async (_, replica) => (await readOverview(replica)).total));
  expect(new Set(totals.map(({ requests }) => requests)).size).toBe(1);

  await open("/");
  const tile = (label: string) => page.locator(".tile").filter({ has: page.getByText(label, { exact: true }) });
  const inDiagram = (list: string) => page.getByRole("list", { name: list }).getByRole("listitem");
  const name = page.getByRole("link", { name: "everything", exact: true });
  const row = page.getByRole("row").filter({ has: name });
  await poll(async () => sumOf(inDiagram("Replicas").locator(".flow-rate"))).toBe(totals[0].requests);
  expect(await sumOf(tile("Requests").locator(".tile-value"))).toBe(totals[0].requests);
  expect(await tile("Requests").locator(".tile-note").textContent()).toBe(`${totals[0].requests} since the start`);
  const everything = inDiagram("Upstreams").filter({ hasText: "everything" }).locator(".flow-rate");
  expect(await sumOf(everything)).toBe(12);
  await poll(async () => sumOf(row.locator(".chart-cell"))).toBe(12);
  const { sessions } = await (await fetch(`${originOf(2)}/admin/v1/sessions`)).json();
  await poll(async () => sumOf(tile("Sessions").locator(".tile-value"))).toBe(sessions.length);
});

it("says at which replica an upstream has failed and why, with what its process wrote there", async () => {
  const id = await idOf(broken);
  await open("/");
  const row = page.getByRole("row", { name: /billing/ });
  await row.getByText("ready at 2 of 3").waitFor();
  await row.getByText(`failed at ${id}`).waitFor();
  await page.getByText("1 failed at some replicas").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await open("/upstreams/billing");
  await page
    .getByRole("alert")
    .filter({ hasText: `failed at ${id}: ` })
    .waitFor();
  await page.getByText(`${id} no disk`).first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

it("shows an upstream that only another replica has in table and diagram, and opens its page", async () => {
  const id = await idOf(newer);
  await open("/");
  const link = page.getByRole("link", { name: "reports", exact: true });
  const row = page.getByRole("row").filter({ has: link });
  await row.getByText("ready at 1 of 3").waitFor();
  await row.getByText(`configured only at ${id}`).waitFor();
  await row.getByText("stateful").waitFor();
  await page.getByRole("list", { name: "Upstreams" }).getByRole("listitem").filter({ has: link }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await row.getByRole("link").click();
  await page
    .locator(".banner")
    .filter({ hasText: `configured only at ${id}` })
    .waitFor();
  await page.getByRole("region", { name: "Verdict" }).getByRole("listitem").first().waitFor();
  await page.getByText(`at replica ${id}`).waitFor();
  await page.getByRole("button", { name: "create_entities", exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

it("shows every replica with its state and requests", async () => {
  await open("/");
  await poll(() => page.getByRole("list", { name: "Replicas" }).getByRole("listitem").count()).toBe(3);
  await open("/health");
  const rows = page.getByRole("region", { name: "Replicas" }).last().getByRole("row");
  await poll(() => rows.filter({ hasText: "serving" }).count()).toBe(3);
  await poll(() => rows.filter({ hasText: "reached" }).count()).toBe(3);
  expect(await violationsOf(page)).toEqual([]);
});

it("answers an elicitation of one replica from the console of another, and the caller continues at a third", async () => {
  const atSecond = await connectTo(1, elicits);
  const asked = await atSecond.callTool(elicitingTool, {}, { manual: true });
  if (!isInputRequired(asked)) throw new Error("input_required expected");
  await open("/activity?tab=pending");
  await page.getByRole("row", { name: /ann/ }).getByRole("button", { name: "Answer" }).click();
  const dialog = page.getByRole("dialog");
  await answerWithName(dialog, "Grace Hopper");
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("heading", { name: "No call waits for input" }).waitFor();

  const atThird = await connectTo(2, elicits);
  const keys = Object.keys(asked.inputRequests ?? {});
  const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: "decline" }]));
  const input = { inputResponses, ...(asked.requestState !== undefined && { requestState: asked.requestState }) };
  const result = await atThird.callTool(elicitingTool, {}, { manual: true, input });
  expect(JSON.stringify(result)).toContain("Grace Hopper");

  await open("/live");
  // One round at each of the two replicas.
  await poll(() => page.getByRole("row").filter({ hasText: elicitingTool }).count()).toBe(2);
});

it("follows a task of another replica to its end", async () => {
  const client = await connectTo(1, { tasks: { maxPollMs: 200 } });
  const result = client.callTool(slowTool, { duration: 6, steps: 6 });
  await open("/activity?tab=tasks");
  await page.getByRole("button", { name: /trigger-long-running-operation/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("working").first().waitFor();
  await dialog.getByText(/of 6/).first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole("listitem").filter({ hasText: "completed" }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("row").filter({ hasText: "completed" }).waitFor();
  expect(JSON.stringify(await result)).toContain("Long running operation completed");
});

it("shows that the process of an upstream was killed, and that it has recovered", async () => {
  const client = await connectTo(0);
  await client.callTool("slow__echo", { message: "hello" });
  const id = await idOf(0);
  await open("/upstreams/slow");
  const rows = page.getByRole("region", { name: "Processes" }).last().getByRole("row").filter({ hasText: id });
  const running = rows.filter({ hasText: "running" });
  const ended = rows.filter({ hasText: "ended" });
  await running.first().waitFor();
  const pids = (await running.allTextContents()).map((text) => Number(/^\d+/.exec(text)?.[0]));
  const own = childrenOf(fleet.replicas[0]?.child.pid as number).filter(({ pid }) => pids.includes(pid));
  expect(own.map(({ pid }) => pid).sort()).toEqual(pids.sort());
  for (const { pid } of own) process.kill(pid, "SIGKILL");
  await poll(() => ended.count()).toBe(own.length);
  await client.callTool("slow__echo", { message: "hello again" });
  await running.first().waitFor();
  await page.locator(".page-header").getByText("ready").waitFor();
});

it("fills the charts of an open page with the requests of a replica that did not answer for a while", async () => {
  const client = await connectTo(1);
  await open("/");
  const name = page.getByRole("link", { name: "slow", exact: true });
  const shown = () => sumOf(page.getByRole("row").filter({ has: name }).locator(".chart-cell"));
  await page.getByRole("row").filter({ has: name }).locator(".chart-cell").waitFor();
  // The step of the calls must end while the replica stands still.
  await poll(() => Date.now() % stepMs < stepMs / 4).toBe(true);
  const before = await shown();
  const process = fleet.replicas[1]?.child;
  for (let call = 0; call < 3; call += 1) await client.callTool("slow__echo", { message: "hello" });
  process?.kill("SIGSTOP");
  try {
    await page.getByText("2 replicas").waitFor();
    const end = Date.now() + stepMs;
    await poll(() => Date.now() > end).toBe(true);
    expect(await shown()).toBe(before);
  } finally {
    process?.kill("SIGCONT");
  }
  await page.getByText("3 replicas").waitFor();
  await poll(shown).toBe(before + 3);
});

it("names a replica that does not answer, and shows the others", async () => {
  await open("/health");
  const rows = page.getByRole("region", { name: "Replicas" }).last().getByRole("row");
  await poll(() => rows.filter({ hasText: "serving" }).count()).toBe(3);
  fleet.replicas[2]?.child.kill("SIGKILL");
  await poll(() => rows.filter({ hasText: "serving" }).count()).toBe(2);
  await open("/activity");
  await page.getByRole("tab", { name: /Sessions/ }).waitFor();
});
