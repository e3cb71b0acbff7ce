// The whole path of a call with the keyboard alone: no pointer, and no focus that a script sets.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useConsole } from "./testing/console-page.ts";
import { elicitingTool, results } from "./testing/playground.ts";

const fleet = useConsole();

/** More than any page has controls between two that a user visits one after the other. */
const maxTabs = 60;

/** What a screen reader calls the element that has the focus, more or less. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    // Regions that scroll, and panels of tabs, have the focus as well, but no name of their own.
    if (!element.matches("a, button, input, select, textarea, summary")) return `<${element.localName}>`;
    const labels = [...(element.labels ?? [])].map(({ textContent }) => textContent);
    return (element.getAttribute("aria-label") ?? (labels.join(" ") || element.textContent) ?? "").trim();
  });

async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = [];
  while (passed.length < maxTabs) {
    await page.keyboard.press("Tab");
    const here = await focused(page);
    if (name.test(here)) return;
    passed.push(here);
  }
  throw new Error(`Tab does not lead to ${name}, but to ${passed.join(", ")}`);
}

it("leads first to a link that skips the navigation", async () => {
  const { page, open } = fleet;
  await open("/");
  await page.getByRole("table").getByRole("link", { name: "everything" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to content");
  await page.keyboard.press("Enter");
  await tabTo(page, /^(?:everything|Filter)/);
});

it("calls a tool, answers its elicitation, and opens the request in Live", async () => {
  const { page, open } = fleet;
  await open("/");
  await page.getByRole("table").getByRole("link", { name: "everything" }).waitFor();
  await tabTo(page, /^Playground$/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  await tabTo(page, /^Filter/);
  await page.keyboard.type("elicitation-request");
  await tabTo(page, /trigger-elicitation-request/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: elicitingTool }).waitFor();
  await tabTo(page, /^Call$/);
  await page.keyboard.press("Enter");
  // The focus moves to what the server asks.
  await page.getByRole("region", { name: "The server asks" }).waitFor();
  await tabTo(page, /^String required/);
  await page.keyboard.type("Ada Lovelace");
  await tabTo(page, /^Piano/);
  await page.keyboard.press("Space");
  await tabTo(page, /^Send answer$/);
  await page.keyboard.press("Enter");
  await results(page).getByText("complete", { exact: true }).waitFor();
  expect(await results(page).textContent()).toContain("Ada Lovelace");
  await tabTo(page, /^Use again$/);

  await page.keyboard.press("Control+Home");
  await open("/live");
  await page
    .getByRole("link", { name: /trigger-elicitation/ })
    .first()
    .waitFor();
  await tabTo(page, /trigger-elicitation/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await tabTo(page, /^curl$/);
});

it("selects tabs with the arrow keys, and gives the focus back when a dialog closes", async () => {
  const { page, open } = fleet;
  await open("/activity");
  await page.getByRole("tab", { name: /Sessions/ }).waitFor();
  await tabTo(page, /^Sessions/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: /Pending/, selected: true }).waitFor();

  await open("/upstreams/memory");
  await page.getByRole("button", { name: "read_graph" }).waitFor();
  await tabTo(page, /^read_graph$/);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await expect.poll(() => focused(page)).toBe("read_graph");
});
