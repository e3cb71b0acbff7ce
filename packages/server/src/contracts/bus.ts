// The contract of Bus as a test suite.
import type { Bus } from "../subscriptions/bus.ts";
import type { Change } from "../subscriptions/change.ts";
import { requireEqual, requireEventually, type TestRunner } from "./test-runner.ts";

/**
 * Defines the tests that every implementation of Bus must pass. `open` creates an unused bus for each test.
 *
 * @example
 * import { createMemoryBus, describeBus } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeBus({ it: (_, body) => tests.push(body) }, () => createMemoryBus());
 * for (const run of tests) await run();
 */
export function describeBus({ it }: TestRunner, open: () => Bus | Promise<Bus>): void {
  it("delivers each change once and in order to every listener", async () => {
    const bus = await open();
    const [first, second]: [Change[], Change[]] = [[], []];
    bus.subscribe((change) => first.push(change));
    bus.subscribe((change) => second.push(change));
    bus.publish({ kind: "tools" });
    bus.publish({ kind: "resource", uri: "test://a" });
    const published = [{ kind: "tools" }, { kind: "resource", uri: "test://a" }];
    await requireEventually(() => [first, second], [published, published]);
    await bus.close?.();
  });

  it("calls no listener after it unsubscribed, and none after close", async () => {
    const bus = await open();
    const [left, stayed]: [Change[], Change[]] = [[], []];
    const unsubscribe = bus.subscribe((change) => left.push(change));
    bus.subscribe((change) => stayed.push(change));
    unsubscribe();
    bus.publish({ kind: "tools" });
    await requireEventually(() => stayed.length, 1);
    await bus.close?.();
    bus.publish({ kind: "prompts" });
    requireEqual([left.length, stayed.length], [0, 1]);
  });
}
