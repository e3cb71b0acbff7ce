// An MCP App of a published server in the playground: rendered in a frame that can reach neither the page nor the network.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { startGateway } from "../processes/lethe.ts";
import { violationsOf } from "./testing/browser.ts";
import { poll, useConsole } from "./testing/console-page.ts";
import { callButton, openTool, results } from "./testing/playground.ts";

const server = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-budget-allocator");

let folder: string;
const fleet = useConsole(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-apps-"));
  const file = join(folder, "servers.json");
  const budget = { command: "node", args: [server.replace("server.js", "index.js"), "--stdio"] };
  await writeFile(file, JSON.stringify({ mcpServers: { budget } }));
  return startGateway(file);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("renders the interface of a tool with the result of the call, isolated from the page", async () => {
  const { page, faults } = fleet;
  await openTool(fleet, "budget__get-budget-data");
  await callButton(page).click();
  await results(page).getByRole("tab", { name: "App" }).click();
  const element = await page.locator("iframe.app-frame").elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error("the frame has no document");
  await poll(() =>
    frame.evaluate(() => document.querySelector("#sliders-container")?.children.length ?? 0),
  ).toBeGreaterThan(0);
  expect(await frame.evaluate(() => origin)).toBe("null");
  expect(await frame.evaluate(() => fetch("/admin/v1/overview").then(String, (error: Error) => error.name))).toBe(
    "TypeError",
  );
  expect(faults.splice(0)).toContainEqual(expect.stringContaining("/admin/v1/overview"));
  expect(await violationsOf(page)).toEqual([]);
});
