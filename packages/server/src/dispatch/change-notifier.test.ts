import { expect, it, vi } from "vitest";
import { createChangeNotifier } from "./change-notifier.ts";

it("publishes no change for definitions before the first request, and one change per kind for each turn (E-14)", async () => {
  const publish = vi.fn();
  const news = createChangeNotifier(publish);
  news.changed("tools");
  await Promise.resolve();
  news.begin();
  expect(publish).not.toHaveBeenCalled();
  for (const kind of ["tools", "prompts", "tools"] as const) news.changed(kind);
  expect(publish).not.toHaveBeenCalled();
  await Promise.resolve();
  expect(publish.mock.calls).toEqual([["tools"], ["prompts"]]);
  news.changed("tools");
  await Promise.resolve();
  expect(publish).toHaveBeenCalledTimes(3);
});
