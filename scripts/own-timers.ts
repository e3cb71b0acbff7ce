// Test files of a worker share one global object (isolate: false), so work that one file left running could set timers on the
// fake clock of another. The tests of each file therefore run in their own context, and a fake clock contains only timers of
// the context that installed it. Only that context advances the clock: a loop that another file left running must not.
import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";

const names = ["setTimeout", "setInterval", "setImmediate"] as const;
const clock = globalThis as unknown as Record<(typeof names)[number], (...args: unknown[]) => unknown>;
const real = { setTimeout: clock.setTimeout, setInterval: clock.setInterval, setImmediate: clock.setImmediate };
const files = new AsyncLocalStorage<string>();
const useFakeTimers = vi.useFakeTimers;

let clockOwner: string | undefined;
const advances = ["advanceTimersByTime", "advanceTimersToNextTimer", "runAllTimers", "runOnlyPendingTimers"] as const;
for (const name of [...advances, ...advances.map((sync) => `${sync}Async` as const)]) {
  const advance = vi[name] as (...args: unknown[]) => unknown;
  const advanceOwn = (...args: unknown[]) => {
    if ((files.getStore() ?? clockOwner) === clockOwner) return advance.apply(vi, args);
    return name.endsWith("Async") ? Promise.resolve(vi) : vi;
  };
  Object.assign(vi, { [name]: advanceOwn });
}

vi.useFakeTimers = (config) => {
  useFakeTimers(config);
  const owner = files.getStore();
  clockOwner = owner;
  for (const name of names) {
    const fake = clock[name];
    if (fake === real[name]) continue;
    const choose = (...args: unknown[]): unknown => {
      // Code of a file outside of its tests has no context.
      const isOwn = (files.getStore() ?? owner) === owner;
      return isOwn ? fake(...args) : real[name](...args);
    };
    clock[name] = Object.assign(choose, fake);
  }
  return vi;
};

/** Runs code in the context of a test file. */
export function asFile<T>(file: string, run: () => T): T {
  return files.run(file, run);
}
