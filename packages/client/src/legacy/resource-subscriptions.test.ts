// A resource is subscribed to at the server while at least one subscription needs it (D-26).
import fc from "fast-check";
import { expect, it } from "vitest";
import { createResourceSubscriptions } from "./resource-subscriptions.ts";

/** A slow server, and the resources that it considers watched. */
function slowServer(refuses = false) {
  const watched = new Set<string>();
  const pending: (() => void)[] = [];
  let open = 0;
  const watch = createResourceSubscriptions(async (method, uri) => {
    open += 1;
    expect(open).toBe(1);
    await new Promise<void>((resolve) => pending.push(resolve));
    open -= 1;
    if (refuses) throw new Error("no");
    if (method === "resources/subscribe") watched.add(uri);
    else watched.delete(uri);
  });
  async function settle(): Promise<void> {
    for (let idle = 0; idle < 5; idle++) {
      pending.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
      if (pending.length > 0) idle = 0;
    }
  }
  return { watch, watched, settle };
}

it("watches a resource exactly while it has been acquired more often than released", async () => {
  const operations = fc.array(fc.constantFrom("come", "go", "settle"), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(operations, async (steps) => {
      const { watch, watched, settle } = slowServer();
      let count = 0;
      for (const step of steps) {
        if (step === "settle") await settle();
        else if (step === "come") {
          count += 1;
          void watch.acquire("a:1");
        } else if (count > 0) {
          count -= 1;
          watch.release("a:1");
        }
      }
      await settle();
      expect(watched.has("a:1")).toBe(count > 0);
    }),
    { numRuns: 50 },
  );
});

it("subscribes again at the next acquire after the server rejected a subscription", async () => {
  const { watch, settle } = slowServer(true);
  const first = watch.acquire("a:1");
  await settle();
  expect(await first).toBe(false);
  const second = watch.acquire("a:1");
  await settle();
  expect(await second).toBe(false);
});
