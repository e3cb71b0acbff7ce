// `lethe console URL`: the console of a gateway elsewhere, at a local address.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, expect, it } from "vitest";
import { main } from "../processes/lethe.ts";
import { startServer, stopProcess } from "../processes/server.ts";
import { openPage, violationsOf } from "./testing/browser.ts";
import { useConsole } from "./testing/console-page.ts";
import { callButton, results } from "./testing/playground.ts";

const fleet = useConsole();
const commands: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(commands.splice(0).map(stopProcess));
});

/** Resolves to the address that the command prints. */
async function startConsole(url: string): Promise<URL> {
  const command = spawn(process.execPath, [main, "console", url], { stdio: ["ignore", "pipe", "inherit"] });
  commands.push(command);
  const [line] = (await once(createInterface({ input: command.stdout }), "line")) as [string];
  return new URL(/http\S+/.exec(line)?.[0] ?? "");
}

it("shows the fleet of the gateway, and calls its tools", async () => {
  const address = await startConsole(fleet.gateway.url);
  const { page, faults } = await openPage(fleet.browser, address.origin);
  await page.goto(address.href);
  await page.getByRole("table").getByRole("link", { name: "everything" }).waitFor();
  await page.goto(new URL("/console/playground?kind=tools&item=everything__get-sum", address).href);
  await page.getByLabel("a required", { exact: true }).fill("19");
  await page.getByLabel("b required", { exact: true }).fill("23");
  await callButton(page).click();
  await results(page).getByText("is 42").waitFor();
  await page.getByRole("link", { name: "Live" }).click();
  await page.getByRole("link", { name: /get-sum/ }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it("shows the playground alone for a server without administration", async () => {
  const tracker = await startServer("examples/tracker/dist/server.js", { args: ["--port", "0"] });
  const address = await startConsole(tracker.url);
  const { page, faults } = await openPage(fleet.browser, address.origin);
  await page.goto(address.href);
  await page.getByRole("button", { name: /list_bugs/ }).click();
  await callButton(page).click();
  await results(page).getByRole("table").waitFor();
  expect(await page.getByRole("navigation").getByRole("link").allTextContents()).toEqual(["Playground"]);
  expect(await violationsOf(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
  await tracker.stop();
});
