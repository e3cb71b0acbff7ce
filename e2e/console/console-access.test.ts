// Who gets to see the console: the files, and what is behind the key.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningGateway, root, startGateway } from "../processes/lethe.ts";
import { openBrowser, openPage, violationsOf } from "./testing/browser.ts";

const memory = {
  command: "node",
  args: [join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js")],
};
const adminKey = "key-of-admin-0123456789";
const callerKey = "key-of-ann-0123456789ab";

let browser: Browser;
let gateway: RunningGateway;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-console-"));
  const file = join(folder, "servers.json");
  const block = { admin: { key: adminKey }, auth: { keys: [{ id: "ann", key: callerKey }] } };
  await writeFile(file, JSON.stringify({ mcpServers: { memory }, gateway: block }));
  [browser, gateway] = await Promise.all([openBrowser(), startGateway(file)]);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

it("asks for the admin key, and for the key of the caller in the playground", async () => {
  const { origin } = new URL(gateway.url);
  const { page, faults } = await openPage(browser, origin);
  await page.goto(`${origin}/console/`);
  await page.getByRole("heading", { name: "needs its admin key" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByLabel("Key").fill("wrong-key-0123456789");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("does not accept this key").waitFor();
  await page.getByLabel("Key").fill(adminKey);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("table").getByRole("link", { name: "memory" }).waitFor();

  await page.getByRole("link", { name: "Playground" }).click();
  await page.getByRole("heading", { name: "Callers of this gateway need a key" }).waitFor();
  await page.getByLabel("Key").fill(callerKey);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: /memory__read_graph/ }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});
