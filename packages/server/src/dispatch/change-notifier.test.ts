import { expect, it, vi } from "vitest";
import type { ListKind } from "../features/registry.ts";
import { createChangeNotifier } from "./change-notifier.ts";

it("publishes no change for definitions before the first request, and one change per kind for each turn (E-14)", async () => {
  const publish = vi.fn();
  const listeners: ((kind: ListKind) => void)[] = [];
  const notifier = createChangeNotifier({ onChange: (listener) => void listeners.push(listener) }, publish);
  const change = (kind: ListKind) => listeners.forEach((listener) => void listener(kind));
  change("tools");
  await Promise.resolve();
  notifier.begin();
  expect(publish).not.toHaveBeenCalled();
  for (const kind of ["tools", "prompts", "tools"] as const) change(kind);
  expect(publish).not.toHaveBeenCalled();
  await Promise.resolve();
  expect(publish.mock.calls).toEqual([["tools"], ["prompts"]]);
  change("tools");
  await Promise.resolve();
  expect(publish).toHaveBeenCalledTimes(3);
});
