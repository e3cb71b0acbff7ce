// A resource is subscribed to while anybody wants it, in whatever order wishes come and go (D-26).
import fc from "fast-check";
import { expect, it } from "vitest";
import { createResourceSubscriptions } from "./resource-subscriptions.ts";

/** A server that takes its time, and what it believes to be watched. */
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

it("is watched exactly when more have come than have gone", async () => {
  const wishes = fc.array(fc.constantFrom("come", "go", "settle"), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(wishes, async (steps) => {
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

it("that the server refuses is asked for again by the next who wants it", async () => {
  const { watch, settle } = slowServer(true);
  const first = watch.acquire("a:1");
  await settle();
  expect(await first).toBe(false);
  const second = watch.acquire("a:1");
  await settle();
  expect(await second).toBe(false);
});
