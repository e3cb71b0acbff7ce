// A picture of a whole page as a file: WebP, or PNG for a look at it.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Page } from "playwright-core";

export async function takePicture(page: Page, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  // Figures of the last seconds have arrived, and transitions have ended.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))));
  if (file.endsWith(".png")) {
    await page.screenshot({ path: file, fullPage: true, animations: "disabled" });
    return;
  }
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    ...{ format: "webp", quality: 82, captureBeyondViewport: true },
    clip: { ...(await sizeOf(page)), x: 0, y: 0, scale: 1 },
  });
  await writeFile(file, Buffer.from(data, "base64"));
}

const sizeOf = (page: Page) =>
  page.evaluate(() => ({
    width: document.documentElement.clientWidth,
    height: document.documentElement.scrollHeight,
  }));
