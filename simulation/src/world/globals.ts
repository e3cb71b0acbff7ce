// Replaces the global sources of time and chance in this thread by those of the simulation. Code under simulation that was not given a clock
// thereby gets that of its process, and no identifier depends on anything but the schedule.
import { createHash } from "node:crypto";
import type { Clock } from "@lethe/server/stores";
import type { Random } from "./random.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** Does not return to the original functions: call it in a thread that runs simulations only. */
export function replaceGlobals(): { setRandom(random: Random): void } {
  let random: Random | undefined;
  const chance = (): Random => random ?? fail("a random number was drawn outside of a simulation");
  const clock = (): Clock => SimulatedProcess.current?.clock ?? fail("the time was read outside of a process");

  Math.random = () => chance().next();
  Object.defineProperty(globalThis.crypto, "randomUUID", { value: () => chance().uuid(), configurable: true });
  Object.defineProperty(globalThis.crypto, "getRandomValues", {
    value<T extends Uint8Array>(bytes: T): T {
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(chance().next() * 256);
      return bytes;
    },
    configurable: true,
  });
  // The original works in another thread and ends at a time that no schedule decides.
  Object.defineProperty(globalThis.crypto.subtle, "digest", {
    value: (_: string, bytes: Uint8Array) =>
      Promise.resolve(toArrayBuffer(createHash("sha256").update(bytes).digest())),
    configurable: true,
  });
  Date.now = () => Math.floor(clock().wallTime());
  Object.defineProperty(performance, "now", { value: () => clock().now(), configurable: true });

  function timer(callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) {
    const cancel = clock().after(Math.max(ms, 1), () => callback(...args));
    return { cancel, unref: () => undefined, ref: () => undefined, hasRef: () => false };
  }
  function interval(callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) {
    const own = clock();
    const handle = { cancel: () => {}, unref: () => handle, ref: () => handle, hasRef: () => false };
    const again = (): void => {
      handle.cancel = own.after(Math.max(ms, 1), () => {
        again();
        callback(...args);
      });
    };
    again();
    return handle;
  }
  const clear = (handle: { cancel?: () => void } | undefined) => handle?.cancel?.();
  Object.assign(globalThis, {
    setTimeout: timer,
    setInterval: interval,
    setImmediate: (callback: (...args: unknown[]) => void, ...args: unknown[]) => timer(callback, 0, ...args),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  return {
    setRandom(next) {
      random = next;
    },
  };
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function fail(message: string): never {
  throw new Error(message);
}
