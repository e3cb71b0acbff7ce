// A server that ends when a second stream opens: the gateway detects it and serves one caller at a time.
import type { Client } from "@lethe/client";
import { afterEach, expect, it } from "vitest";
import { startOneStream } from "../servers/one-stream.ts";
import { type RunningGateway, runGateway } from "./in-process.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function remember(client: Client): Promise<string> {
  const { content } = await client.callTool("up__remember", {});
  return (content as unknown as [{ text: string }])[0].text;
}

it("the gateway lets a server with a single stream serve one caller at a time, with a fresh state for each", async () => {
  const server = await startOneStream();
  cleanups.push(server.close);
  const kept = new Map<string, object>();
  const facts = {
    load: (key: string) => kept.get(key) as never,
    save: (key: string, value: object) => void kept.set(key, value),
  };
  const start = async (): Promise<RunningGateway> => {
    const running = await runGateway({
      upstreams: [
        {
          ...{ kind: "http", name: "up", url: server.url, headers: {}, transport: "http-sse" },
          sessions: { waitMs: 2_000, turnWaitMs: 2_000 },
        },
      ],
      callers: ["ann", "bob"],
      circuitBreaker: { firstMs: 50, maxMs: 200 },
      facts,
    });
    cleanups.push(running.close);
    return running;
  };

  const first = await start();
  const [ann, bob] = [await first.connect({}, "ann"), await first.connect({}, "bob")];
  const [upstream] = first.gateway.upstreams;
  await expect
    .poll(
      async () => {
        await remember(ann).catch(() => {});
        await remember(bob).catch(() => {});
        return upstream?.isSingleTenant;
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  const ends = server.ends();
  await Promise.all([ann.close(), bob.close()]);
  await first.close();
  await expect.poll(server.sessions).toBe(0);

  const second = await start();
  const [cat, dan] = [await second.connect({}, "ann"), await second.connect({}, "bob")];
  expect([await remember(cat), await remember(cat)]).toEqual(["kept 1", "kept 2"]);
  await expect(remember(dan)).rejects.toMatchObject({ data: { reason: "busy", upstream: "up" } });
  expect(await remember(cat)).toBe("kept 3");
  expect(server.ends()).toBe(ends);
  await Promise.all([cat.close(), dan.close()]);
}, 60_000);
