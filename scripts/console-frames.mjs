// Measures the frames of the console in Chromium under load: by default 1,000 upstreams and 10,000 requests a minute.
//   node scripts/console-frames.mjs [--seconds 15] [--upstreams 1000] [--per-minute 10000] [--page /live] …
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { categories, toFrameTimes } from "./console-frames/frame-times.mjs";
import { serveMadeUpGateway } from "./console-frames/made-up-gateway.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "15" },
    upstreams: { type: "string", default: "1000" },
    "per-minute": { type: "string", default: "10000" },
    page: { type: "string", multiple: true, default: ["/", "/live", "/upstreams/server-0001", "/health"] },
  },
});
const seconds = Number(values.seconds);
/** The page has drawn its first content by then, and has loaded its code. */
const settleMs = 3_000;

/** Runs in the page: the times between frames. */
async function measureFrames(ms) {
  const between = [];
  const end = performance.now() + ms;
  for (let last = await new Promise(requestAnimationFrame); last < end; ) {
    const time = await new Promise(requestAnimationFrame);
    between.push(time - last);
    last = time;
  }
  return between;
}

function toLine(path, between, { frames, parts }) {
  const at = (numbers, part) => {
    const sorted = numbers.toSorted((one, other) => one - other);
    return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
  };
  const total = frames.reduce((sum, ms) => sum + ms, 0);
  const each = Object.entries(parts).map(([name, ms]) => `${name} ${(ms / seconds).toFixed(0)}`);
  return [
    `${path}: ${(between.length / seconds).toFixed(0)} frames/s`,
    `work of a frame p50 ${at(frames, 0.5)}, p95 ${at(frames, 0.95)}, p99 ${at(frames, 0.99)}, max ${at(frames, 1)} ms`,
    `over 16 ms: ${frames.filter((ms) => ms > 16).length} of ${frames.length}`,
    `a second ${(total / seconds).toFixed(0)} ms (${each.join(", ")})`,
    `between frames p50 ${at(between, 0.5)}, p95 ${at(between, 0.95)} ms`,
  ].join("; ");
}

const { chromium } = createRequire(new URL("../e2e/package.json", import.meta.url))("playwright-core");
const gateway = await serveMadeUpGateway({
  upstreams: Number(values.upstreams),
  perMinute: Number(values["per-minute"]),
});
const browser = await chromium.launch({
  ...{ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] },
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  for (const path of values.page) {
    await page.goto(`${gateway.origin}/console${path}`);
    await page.waitForTimeout(settleMs);
    await browser.startTracing(page, { categories });
    const between = await page.evaluate(measureFrames, seconds * 1_000);
    const trace = await browser.stopTracing();
    process.stdout.write(`${toLine(path, between, toFrameTimes(trace.toString()))}\n`);
  }
} finally {
  await browser.close();
  gateway.close();
}
