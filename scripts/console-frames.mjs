// Measures the frames of the console in Chromium under load: by default 1,000 upstreams and 10,000 requests a minute.
//   node scripts/console-frames.mjs [--seconds 15] [--upstreams 1000] [--per-minute 10000] [--page /live] …
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
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

/** Runs in the page: the times between frames, and the durations of frames that took 50 ms or more. */
async function measureFrames(ms) {
  const between = [];
  const long = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) long.push(duration);
  });
  observer.observe({ type: "long-animation-frame" });
  const end = performance.now() + ms;
  for (let last = await new Promise(requestAnimationFrame); last < end; ) {
    const time = await new Promise(requestAnimationFrame);
    between.push(time - last);
    last = time;
  }
  observer.disconnect();
  return { between, long };
}

/**
 * The processor time of the renderer's main thread, in ms. Unlike the times of frames, it leaves out what other programs took from the
 * browser on a busy machine.
 */
function mainThreadMs(profile) {
  const times = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      const command = read(`/proc/${pid}/cmdline`);
      if (!command.includes("--type=renderer") || !command.includes(profile)) return 0;
      return Number(read(`/proc/${pid}/task/${pid}/schedstat`).split(" ")[0]) / 1e6;
    });
  return Math.max(0, ...times);
}

/** Empty for a process that has ended. */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function toLine(path, { between, long }, cpuMs) {
  const sorted = between.toSorted((one, other) => one - other);
  const at = (part) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
  const longest = long.length === 0 ? "" : `, the longest ${Math.max(...long).toFixed(0)} ms`;
  return [
    `${path}: ${(between.length / seconds).toFixed(0)} frames/s`,
    `between frames p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)} ms`,
    `main thread ${(cpuMs / seconds).toFixed(0)} ms of processor time a second, ${(cpuMs / between.length).toFixed(1)} ms a frame`,
    `frames of 50 ms or more: ${long.length}${longest}`,
  ].join("; ");
}

const { chromium } = createRequire(new URL("../e2e/package.json", import.meta.url))("playwright-core");
const gateway = await serveMadeUpGateway({
  upstreams: Number(values.upstreams),
  perMinute: Number(values["per-minute"]),
});
const profile = mkdtempSync(`${tmpdir()}/console-frames-`);
const browser = await chromium.launchPersistentContext(profile, {
  ...{ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] },
  viewport: { width: 1440, height: 900 },
});
try {
  const page = await browser.newPage();
  for (const path of values.page) {
    await page.goto(`${gateway.origin}/console${path}`);
    await page.waitForTimeout(settleMs);
    const before = mainThreadMs(profile);
    const frames = await page.evaluate(measureFrames, seconds * 1_000);
    process.stdout.write(`${toLine(path, frames, mainThreadMs(profile) - before)}\n`);
  }
} finally {
  await browser.close();
  gateway.close();
  rmSync(profile, { recursive: true, force: true });
}
