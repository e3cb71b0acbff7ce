// The messages that wait while PostgreSQL is busy are bounded.
import { expect, test } from "vitest";
import type { Run } from "./postgres-link.ts";
import { Publisher } from "./publisher.ts";

test("messages without a text count as well, and further ones are accepted when the waiting ones were sent", async () => {
  const answers: (() => void)[] = [];
  const run = (() => new Promise((resolve) => answers.push(() => resolve([])))) as Run;
  const publisher = new Publisher(run, { maxChars: 1_000 });
  /** Publishes 200 messages, and returns how many were refused. */
  async function publishMany(): Promise<number> {
    let refused = 0;
    for (let count = 0; count < 200; count += 1) {
      publisher.publish("channel", "").catch((error: Error) => {
        expect(error.message).toBe("more than 1000 characters wait to be sent");
        refused += 1;
      });
    }
    await new Promise(setImmediate);
    return refused;
  }

  expect(await publishMany()).toBeGreaterThan(100);
  expect(await publishMany()).toBe(200);
  // The first message was alone in its statement. The next one has all that waited.
  answers.shift()?.();
  await new Promise(setImmediate);
  expect(await publishMany()).toBeLessThan(150);
});
