// An MCP App of a published server in the playground: rendered in a frame that can reach neither the page nor the network.
import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { violationsOf } from "./testing/browser.ts";
import { poll, useConsole } from "./testing/console-page.ts";
import { startOwnGateway } from "./testing/own-gateway.ts";
import { callButton, openTool, results } from "./testing/playground.ts";

const server = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-budget-allocator");

const budget = { command: "node", args: [server.replace("server.js", "index.js"), "--stdio"] };
const fleet = useConsole(() => startOwnGateway({ mcpServers: { budget } }));

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
