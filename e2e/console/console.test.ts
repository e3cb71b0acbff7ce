// The console in a real browser, on the fleet of `npm start`: every page, without a fault, an external request or a barrier.
import { join } from "node:path";
import { isInputRequired } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningGateway, root, startGateway } from "../processes/lethe.ts";
import { childrenOf } from "../processes/process-tree.ts";
import { openBrowser, openPage, violationsOf, type WatchedPage } from "./testing/browser.ts";

const fleet = join(root, "examples/gateway/servers.json");
const waitMs = 20_000;

let browser: Browser;
let gateway: RunningGateway;
let watched: WatchedPage;
let page: Page;
let origin: string;

beforeAll(async () => {
  [browser, gateway] = await Promise.all([openBrowser(), startGateway(fleet)]);
  ({ origin } = new URL(gateway.url));
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});
beforeEach(async () => {
  watched = await openPage(browser, origin);
  ({ page } = watched);
  page.setDefaultTimeout(waitMs);
});
afterEach(async () => {
  await page.context().close();
  expect(watched.faults).toEqual([]);
});

const open = (path: string) => page.goto(`${origin}/console${path}`);
const poll = (read: () => unknown) => expect.poll(read, { timeout: waitMs });

/** Calls the tool that asks for input, and leaves the form open. */
async function askInPlayground(): Promise<void> {
  await open("/playground?kind=tools&item=everything__trigger-elicitation-request");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("region", { name: "The server asks" }).waitFor();
}

describe("the console", () => {
  it("loads at most 250 KB, compressed, before it shows the fleet", async () => {
    const sizes: number[] = [];
    page.on("response", async (response) => {
      if (/\.(?:js|css)$/.test(response.url())) sizes.push(Number(response.headers()["content-length"]));
    });
    await page.goto(origin);
    await page.getByRole("table").getByRole("link", { name: "everything" }).waitFor();
    expect(page.url()).toBe(`${origin}/console/`);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
  });

  it("runs no script that a server or a user wrote into a page", async () => {
    const response = await open("/");
    expect(response?.headers()["content-security-policy"]).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.wasRun = true";
      document.head.append(script);
    });
    expect(await page.evaluate("globalThis.wasRun")).toBeUndefined();
    watched.faults.length = 0;
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 360],
  ] as const)("has no barriers in the %s theme at %i px, and never scrolls sideways", async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const paths = {
      "/": "Upstreams",
      "/upstreams/files": "Verdict",
      "/live": "Live",
      "/activity": "Activity",
      "/playground?kind=tools&item=everything__get-sum": "everything__get-sum",
      "/health": "Limits",
    };
    for (const [path, heading] of Object.entries(paths)) {
      await open(path);
      await page.getByRole("heading", { name: heading }).first().waitFor();
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, excess <= 0]).toEqual([path, true]);
    }
  });

  it("shows an elicitation that was answered in the playground in both eras", async () => {
    await askInPlayground();
    const form = page.getByRole("region", { name: "The server asks" });
    await form.getByLabel("String required", { exact: true }).fill("Ada Lovelace");
    await form.getByRole("button", { name: "Send answer" }).click();
    const result = page.getByRole("region", { name: /^Result of/ });
    await result.getByText("complete").waitFor();
    expect(await result.textContent()).toContain("Ada Lovelace");

    await page.getByRole("link", { name: "Live" }).click();
    await page
      .getByRole("link", { name: /trigger-elicitation/ })
      .first()
      .click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await poll(async () => page.getByRole("list", { name: /Round/ }).count()).toBe(2);
    const text = await page.locator(".sequence").textContent();
    expect(text).toContain("2026-07-28");
    expect(text).toContain("2025-11-25");
    expect(text).toContain("elicitation/create");
    expect(await violationsOf(page)).toEqual([]);
  });

  it("answers a pending call in the place of its caller", async () => {
    const client = await connect(gateway.url, { capabilities: { elicitation: { form: {} } } });
    const name = "everything__trigger-elicitation-request";
    const asked = await client.callTool(name, {}, { manual: true });
    if (!isInputRequired(asked)) throw new Error("input_required expected");
    await open("/activity?tab=pending");
    await page.getByRole("button", { name: "Answer" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("String required", { exact: true }).fill("Grace Hopper");
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send answer" }).click();
    await dialog.waitFor({ state: "hidden" });
    const key = Object.keys(asked.inputRequests ?? {})[0] ?? "";
    const input = {
      inputResponses: { [key]: { action: "cancel" } },
      ...(asked.requestState !== undefined && { requestState: asked.requestState }),
    };
    const result = await client.callTool(name, {}, { manual: true, input });
    expect(JSON.stringify(result)).toContain("Grace Hopper");
    await client.close();
  });

  it("shows that an upstream was killed, and that it has recovered", async () => {
    const memory = () =>
      childrenOf(gateway.child.pid as number).find(({ command }) => command.includes("server-memory"));
    await open("/upstreams/memory");
    const row = (pid: number | undefined) => page.getByRole("row", { name: new RegExp(String(pid)) });
    const { pid } = memory() ?? {};
    await row(pid).getByText("running").waitFor();
    process.kill(pid as number, "SIGKILL");
    await row(pid).getByText("ended").waitFor();
    const client = await connect(gateway.url);
    await client.callTool("memory__read_graph");
    await client.close();
    await row(memory()?.pid).getByText("running").waitFor();
    await page.locator(".page-header").getByText("ready").waitFor();
  });

  it("is operated with the keyboard alone", async () => {
    await open("/");
    await page.getByRole("table").getByRole("link", { name: "everything" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
    for (let count = 0; count < 4; count += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("get-sum");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByLabel("a required", { exact: true }).focus();
    await page.keyboard.type("19");
    await page.keyboard.press("Tab");
    await page.keyboard.type("23");
    await page.keyboard.press("Enter");
    await page
      .getByRole("region", { name: /^Result of/ })
      .getByText("is 42")
      .waitFor();
  });

  it("says that the gateway is gone, and continues when it is back", async () => {
    const own = await startGateway(fleet);
    const port = new URL(own.url).port;
    const other = await openPage(browser, new URL(own.url).origin);
    await other.page.goto(new URL("/console/", own.url).href);
    await other.page.getByRole("table").getByRole("link", { name: "everything" }).waitFor();
    await own.stop();
    await other.page.getByRole("alert").getByText("Not live").waitFor();
    const again = await startGateway(fleet, "--port", port);
    await other.page.getByRole("status").getByText("Live").waitFor({ timeout: waitMs });
    await other.page.context().close();
    await again.stop();
  });
});
