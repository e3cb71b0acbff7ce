// A picture of a whole page as a file: WebP, or PNG for a look at it.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Page } from "playwright-core";

/** Longer pages are cut. */
const maxHeight = 2_000;

export async function takePicture(page: Page, file: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.mouse.move(0, 0);
  // A page that fits shows its navigation as a user sees it, which one that is captured beyond its window does not.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...before, height: Math.min(maxHeight, Math.max(before.height, height)) });
  await page.evaluate(() => scrollTo(0, 0));
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))));
  await mkdir(dirname(file), { recursive: true });
  const format = file.endsWith(".webp") ? "webp" : "png";
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format, ...(format === "webp" && { quality: 80 }) });
  await writeFile(file, Buffer.from(data, "base64"));
  await session.detach();
  await page.setViewportSize(before);
}
