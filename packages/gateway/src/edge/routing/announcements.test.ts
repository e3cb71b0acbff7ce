import { method } from "@lethe/protocol";
import { createHub, type Hub } from "@lethe/server/edge";
import { afterEach, expect, it, vi } from "vitest";
import { createFakeExchange, requestOf } from "../../testing/fakes.ts";
import { createAnnouncements } from "./announcements.ts";

afterEach(() => void vi.useRealTimers());

async function begin(callers: number) {
  const hubs: Hub[] = [];
  const exchanges = Array.from({ length: callers }, () => {
    const exchange = createFakeExchange();
    const hub = createHub({ supports: () => new Set(["tools", "prompts"] as const) });
    hubs.push(hub);
    const notifications = { toolsListChanged: true, promptsListChanged: true };
    void hub.listen(requestOf(method.listen, { notifications }), exchange);
    return exchange;
  });
  await vi.waitFor(() => expect(hubs.every(({ size }) => size === 1)).toBe(true));
  /** The notifications that each caller received, without the acknowledgement. */
  const received = () => exchanges.map(({ notes }) => notes.slice(1).map(({ method }) => method.split("/")[1]));
  return { announcements: createAnnouncements(() => hubs), received };
}

it("announces a changed list to thousands of callers over several turns of the event loop", async () => {
  const { announcements, received } = await begin(1_200);
  vi.useFakeTimers();
  announcements.add("tools");
  const counts: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    counts.push(received().filter(({ length }) => length === 1).length);
    vi.advanceTimersToNextTimer();
  }
  expect(counts).toEqual([500, 1_000, 1_200]);
});

it("announces lists that change meanwhile afterwards, and each of them once", async () => {
  const { announcements, received } = await begin(600);
  for (const kind of ["tools", "prompts", "tools", "prompts"] as const) announcements.add(kind);
  await vi.waitFor(() => expect(received().every(({ length }) => length === 3)).toBe(true));
  expect(new Set(received().map((kinds) => kinds.join()))).toEqual(new Set(["tools,prompts,tools"]));
});
