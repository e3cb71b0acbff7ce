// The in-memory bus: delivery, unsubscribing, and listeners that throw.
import { expect, test, vi } from "vitest";
import { createMemoryBus } from "./bus.ts";

test("an error in one listener does not stop the others", () => {
  const onError = vi.fn();
  const bus = createMemoryBus({ onError });
  const heard = vi.fn();
  bus.subscribe(() => {
    throw new Error("broken");
  });
  bus.subscribe(heard);
  bus.publish({ kind: "tools" });
  expect(heard).toHaveBeenCalledExactlyOnceWith({ kind: "tools" });
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: "broken" }));
});

test("calls no listener after it unsubscribed or the bus was closed", () => {
  const bus = createMemoryBus();
  const [left, stayed] = [vi.fn(), vi.fn()];
  const leave = bus.subscribe(left);
  bus.subscribe(stayed);
  leave();
  bus.publish({ kind: "tools" });
  void bus.close?.();
  bus.publish({ kind: "tools" });
  expect(left).not.toHaveBeenCalled();
  expect(stayed).toHaveBeenCalledOnce();
});
