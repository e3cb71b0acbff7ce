// The series of an open page has no gaps that the gateway can fill.
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SeriesAnswer, TickEvent } from "./admin-api.ts";
import { SeriesGaps, seriesKey } from "./series-gaps.ts";
import type { FollowedSeries } from "./traffic.ts";

const at = (second: number) => new Date(second * 1_000).toISOString();
const toTick = (second: number, requests = 1): TickEvent => {
  const gateway = { requests, errors: 0, p50: 4, p95: 4 };
  return { time: at(second), stepSeconds: 10, gateway, upstreams: {}, recent: {} };
};
const toAnswer = (newest: number, requests: number[]): SeriesAnswer => ({
  ...{ replica: "r1", replicas: ["r1"], unanswered: [], stepSeconds: 10, newest: at(newest), upstreams: {} },
  gateway: { requests, errors: [0, 0, 0], p50: [null, null, null], p95: [null, null, null] },
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page that shows the series. */
async function openPage(first: SeriesAnswer) {
  const queries = new QueryClient();
  const gaps = new SeriesGaps(queries);
  const read = vi.fn<() => Promise<SeriesAnswer>>().mockResolvedValue(first);
  const observer = new QueryObserver<FollowedSeries>(queries, {
    queryKey: seriesKey,
    queryFn: async () => gaps.complete(await read()),
  });
  observer.subscribe(() => {});
  gaps.opened();
  gaps.included(["r1", "r2"]);
  await vi.advanceTimersByTimeAsync(10);
  const requests = () => observer.getCurrentResult().data?.gateway.requests;
  return { gaps, read, requests, settle: () => vi.advanceTimersByTimeAsync(10) };
}

it("is read once, and continues with the steps of the stream", async () => {
  const { gaps, read, requests, settle } = await openPage(toAnswer(120, [1, 2, 3]));
  gaps.ended(toTick(120, 4));
  gaps.included(["r1"]);
  await settle();
  expect(requests()).toEqual([2, 4, 0]);
  expect(read).toHaveBeenCalledOnce();
});

it.each<[string, (gaps: SeriesGaps) => void]>([
  ["the stream has opened again", (gaps) => gaps.opened()],
  [
    "a replica has returned",
    (gaps) => {
      gaps.included(["r1"]);
      gaps.included(["r1", "r2"]);
    },
  ],
  ["the stream left out a step", (gaps) => gaps.ended(toTick(130))],
])("is read again when %s", async (_, happen) => {
  const { gaps, read, requests, settle } = await openPage(toAnswer(120, [1, 2, 3]));
  read.mockResolvedValue(toAnswer(150, [7, 8, 9]));
  happen(gaps);
  await settle();
  expect(requests()).toEqual([7, 8, 9]);
});

it("is read again at most every 10 s", async () => {
  const { gaps, read } = await openPage(toAnswer(120, [1, 2, 3]));
  for (let second = 0; second < 19; second += 1) {
    gaps.opened();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  // The first one is that of the page itself.
  expect(read).toHaveBeenCalledTimes(3);
});

it("keeps a step that ends while it is read, and the answer's own figures of earlier steps", async () => {
  const { gaps, read, requests, settle } = await openPage(toAnswer(120, [1, 2, 3]));
  let answer = (_: SeriesAnswer): void => {};
  read.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  gaps.ended(toTick(120, 4));
  gaps.opened();
  await settle();
  gaps.ended(toTick(130, 5));
  answer(toAnswer(130, [3, 40, 2]));
  await settle();
  expect(requests()).toEqual([40, 5, 0]);
});
