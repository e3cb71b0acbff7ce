// Every page of the console in a real browser, on the fleet of `npm start`: size, content policy, accessibility and width.
import { describe, expect, it } from "vitest";
import { violationsOf } from "./testing/browser.ts";
import { useConsole } from "./testing/console-page.ts";

const fleet = useConsole();

it("loads at most 250 KB, compressed, before it shows the fleet", async () => {
  const { page, origin } = fleet;
  const sizes: number[] = [];
  page.on("response", (response) => {
    if (/\.(?:js|css)$/.test(response.url())) sizes.push(Number(response.headers()["content-length"]));
  });
  await page.goto(origin);
  await page.getByRole("table").getByRole("link", { name: "everything" }).waitFor();
  expect(page.url()).toBe(`${origin}/console/`);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
});

describe("the content policy", () => {
  it("refuses scripts in the page, and requests to other origins", async () => {
    const { page, open, faults } = fleet;
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
    const sent = page.evaluate(() => fetch("http://127.0.0.1:9/").then(String, (error: Error) => error.name));
    expect(await sent).toBe("TypeError");
    const refused = faults.splice(0);
    expect(refused).toContainEqual(expect.stringContaining("inline script"));
    expect(refused).toContainEqual(expect.stringContaining("http://127.0.0.1:9/"));
    // The request did not get as far as the network.
    expect(refused).not.toContainEqual(expect.stringContaining("request to"));
  });
});

const paths = {
  "/": "Upstreams",
  "/upstreams/files": "Verdict",
  "/live": "Live",
  "/activity": "Activity",
  "/activity?tab=pending": "Activity",
  "/activity?tab=tasks": "Activity",
  "/playground": "Playground",
  "/playground?kind=tools&item=everything__get-sum": "everything__get-sum",
  "/playground?kind=prompts&item=everything__args-prompt": "everything__args-prompt",
  "/playground?kind=resources&item=demo://resource/static/document/features.md": "features.md",
  "/health": "Limits",
  "/nothing": "No such page",
};

it.each([
  ["light", 1440],
  ["dark", 768],
  ["light", 360],
] as const)(
  "has no barriers in the %s theme at %i px, and never scrolls sideways",
  async (colorScheme, width) => {
    const { page, open } = fleet;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const [path, heading] of Object.entries(paths)) {
      await open(path);
      await page.getByRole("heading", { name: heading }).first().waitFor();
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, excess <= 0]).toEqual([path, true]);
    }
  },
  // The check of a page takes a second on an idle machine.
  240_000,
);

it("keeps the theme that the user chose, also in the next visit", async () => {
  const { page, open } = fleet;
  await open("/");
  await page.getByRole("button", { name: "Dark theme" }).click();
  const colour = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  expect(await colour()).toBe("dark");
  await open("/health");
  expect(await colour()).toBe("dark");
});
