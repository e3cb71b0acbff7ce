// Reloads run one after the other, and the last change wins.
import { describe, expect, it } from "vitest";
import { ReloadQueue } from "./reload-queue.ts";

/** Reloads that end when the test says so. */
function createReloads() {
  const running: { readonly signal: AbortSignal; end(): void }[] = [];
  const reload = (signal: AbortSignal) => {
    return new Promise<void>((resolve) => {
      running.push({ signal, end: resolve });
      signal.addEventListener("abort", () => resolve());
    });
  };
  return { running, reload };
}

describe("the queue of reloads", () => {
  it("reloads once for a hundred changes that arrive while a reload runs", async () => {
    const { running, reload } = createReloads();
    const queue = new ReloadQueue({ reload });
    for (let change = 0; change < 100; change += 1) queue.request();
    expect(running).toHaveLength(1);
    running[0]?.end();
    await Promise.resolve();
    await Promise.resolve();
    expect(running).toHaveLength(2);
    running[1]?.end();
    await queue.idle;
    expect(running).toHaveLength(2);
  });

  it("abandons a reload that hangs when another change arrives", async () => {
    const { running, reload } = createReloads();
    let time = 0;
    const queue = new ReloadQueue({ reload, patienceMs: 1_000, now: () => time });
    queue.request();
    time = 999;
    queue.request();
    expect(running[0]?.signal.aborted).toBe(false);
    time = 1_001;
    queue.request();
    expect(running[0]?.signal.aborted).toBe(true);
    await Promise.resolve();
    await Promise.resolve();
    running[1]?.end();
    await queue.idle;
    expect(running).toHaveLength(2);
  });

  it("abandons the running reload and starts no other when it is closed", async () => {
    const { running, reload } = createReloads();
    const queue = new ReloadQueue({ reload });
    queue.request();
    queue.request();
    await queue.close();
    queue.request();
    expect(running.map(({ signal }) => signal.aborted)).toEqual([true]);
  });
});
