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
    for (const { name, show } of scenes) {
      await show(page, deployment).catch((error) => console.error(name, String(error)));
      if (everything) await takePicture(page, join(everything, `${name}-${theme}-${width}.png`));
      else await takePicture(page, join(root, `docs/images/console/${name}-${theme}-${width}.webp`));
    }
    await page.context().close();
  },
);
