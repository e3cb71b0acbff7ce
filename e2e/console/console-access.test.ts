// Who gets to see the console: the files, and what is behind the key.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunningGateway } from "../processes/lethe.ts";
import { openBrowser, openPage, violationsOf } from "./testing/browser.ts";
import { memory, startOwnGateway } from "./testing/own-gateway.ts";

const adminKey = "key-of-admin-0123456789";
const callerKey = "key-of-ann-0123456789ab";

let browser: Browser;
let gateway: RunningGateway;
beforeAll(async () => {
  const block = { admin: { key: adminKey }, auth: { keys: [{ id: "ann", key: callerKey }] } };
  const document = { mcpServers: { memory }, gateway: block };
  [browser, gateway] = await Promise.all([openBrowser(), startOwnGateway(document)]);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
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
