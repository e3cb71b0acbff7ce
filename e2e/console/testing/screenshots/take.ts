// Takes the screenshots: of every scene in every width and theme as PNG if LETHE_SCREENSHOTS names a folder, and otherwise those that
// docs/console.md shows as WebP.
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, it } from "vitest";
import { root } from "../../../processes/lethe.ts";
import { openBrowser } from "../browser.ts";
import { type ShownDeployment, startShownDeployment } from "./deployment.ts";
import { takePicture } from "./picture.ts";
import { scenes } from "./scenes.ts";

const everything = process.env.LETHE_SCREENSHOTS;
/** The scenes in docs/console.md. */
const documented = new Set([
  ...["fleet", "upstream", "live", "playground-asked", "playground-result", "exchange", "answer-dialog", "task-dialog"],
  "health",
]);
const themes = ["light", "dark"] as const;
const widths = [360, 768, 1440] as const;

let browser: Browser;
let deployment: ShownDeployment;
beforeAll(async () => {
  [browser, deployment] = await Promise.all([openBrowser(), startShownDeployment()]);
});
afterAll(async () => {
  await browser?.close();
  await deployment?.close();
});

async function openPage(theme: (typeof themes)[number], width: number): Promise<Page> {
  const height = width < 500 ? 740 : 900;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.addInitScript((key) => sessionStorage.setItem("lethe-caller-key", key), deployment.callerKey);
  return page;
}

it.each(themes.flatMap((theme) => widths.map((width) => [theme, width] as const)))(
  "%s, %i px",
  async (theme, width) => {
    const page = await openPage(theme, width);
    for (const { name, show, leave } of everything ? scenes : scenes.filter(({ name }) => documented.has(name))) {
      await show(page, deployment);
      const file = `${name}-${theme}-${width}`;
      if (everything) await takePicture(page, join(everything, `${file}.png`));
      else await takePicture(page, join(root, `docs/images/console/${file}.webp`));
      await leave?.(page, deployment);
    }
    await page.context().close();
  },
);
