// The unit tests of a worker share one global (isolate: false): what one file leaves running, a server that looks every half
// second whether its client has answered, may set a timer just while another file counts its own on a fake clock. So each
// file's tests run in a context of their own, and on a fake clock is only what was set in the context that put it there.
import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";

const names = ["setTimeout", "setInterval", "setImmediate"] as const;
const clock = globalThis as unknown as Record<(typeof names)[number], (...args: unknown[]) => unknown>;
const real = { setTimeout: clock.setTimeout, setInterval: clock.setInterval, setImmediate: clock.setImmediate };
const files = new AsyncLocalStorage<string>();
const useFakeTimers = vi.useFakeTimers;

vi.useFakeTimers = (config) => {
  useFakeTimers(config);
  const owner = files.getStore();
  for (const name of names) {
    const fake = clock[name];
    if (fake === real[name]) continue;
    const choose = (...args: unknown[]): unknown => {
      // Without a context is what a file sets up outside of its tests.
      const isOwn = (files.getStore() ?? owner) === owner;
      return isOwn ? fake(...args) : real[name](...args);
    };
    clock[name] = Object.assign(choose, fake);
  }
  return vi;
};

/** Runs what belongs to a test file. */
export function asFile<T>(file: string, run: () => T): T {
  return files.run(file, run);
}
