// GET streams whose clients have left: how many continue, and how much memory they hold.
import { expect, it, vi } from "vitest";
import { usedBytes } from "../../../../protocol/src/testing/held-bytes.ts";
import { fetchPlatform } from "../../testing/http-platforms.ts";
import { begin } from "../../testing/legacy-client.ts";
import { createFixture } from "../../testing/legacy-fixture.ts";
import { LostStreams } from "../shared/lost-streams.ts";

it("the list of lost streams ends the oldest when there are too many", () => {
  const streams = new LostStreams(2);
  const ended: string[] = [];
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => ({ end: () => void ended.push(name) }));
  for (const stream of [a, b]) if (stream) streams.add(stream);
  if (a) streams.delete(a);
  for (const stream of [c, d]) if (stream) streams.add(stream);
  expect([ended, streams.size]).toEqual([["b"], 2]);
});

/** Opens sessions whose GET streams lose their clients. */
async function abandon(count: number, maxLostStreams: number) {
  let listening = 0;
  const { server } = createFixture({ legacy: { maxLostStreams } });
  server.use((next) => (request, exchange) => {
    if (request.method !== "subscriptions/listen") return next(request, exchange);
    listening += 1;
    exchange.onAbort?.(() => {
      listening -= 1;
    });
    return next(request, exchange);
  });
  const client = await fetchPlatform.open(server);
  const open = async (): Promise<void> => {
    const { answer, leave } = (await begin(client)).get();
    await answer;
    leave();
  };
  const run = async (): Promise<void> => {
    for (let opened = 0; opened < count; opened += 1) await open();
  };
  return { run, client, listening: () => listening };
}

it("a limited number of GET streams continue without their clients", async () => {
  const { run, listening } = await abandon(100, 20);
  await run();
  await vi.waitFor(() => expect(listening()).toBe(20));
});

it("a GET stream whose client has left keeps little memory, and nothing of its request", async () => {
  const count = 300;
  const { run, listening } = await abandon(2 * count, 2 * count);
  await run();
  const { run: again, listening: afterwards, client } = await abandon(count, count);
  const before = await usedBytes();
  await again();
  const each = ((await usedBytes()) - before) / count;
  expect([listening() > 0, afterwards() > 0, client !== undefined]).toEqual([true, true, true]);
  // The session, its id and its subscription. The HTTP request alone would take 11,000.
  expect(each).toBeLessThan(12_000);
});
