// What a replica says about the address at which others reach it, and when it connects again.
import { createKeyRing, systemClock } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { createManualClock } from "../../../server/src/testing/manual-clock.ts";
import { openDirectLinks } from "./direct-links.ts";
import { createLinkKeys } from "./link-keys.ts";
import { listenForLinks } from "./link-listener.ts";

const ring = createKeyRing(`k1:${"A".repeat(43)}`);

async function openAt(localHost: string) {
  const problems: string[] = [];
  const links = await openDirectLinks({
    ...{ listen: { host: "0.0.0.0", port: 0 }, localHost, self: "one", clock: systemClock },
    ...{ ring, maxBytes: 1_000, silenceMs: 60_000 },
    isRedisUp: () => true,
    onChange: () => {},
    onProblem: (problem) => void problems.push(problem),
  });
  const { address } = links;
  await links.close();
  return { address, problems };
}

test("a replica that others cannot reach says so and names the remedy", async () => {
  expect(await openAt("fd00::1")).toEqual({
    address: undefined,
    problems: [expect.stringMatching(/^other replicas cannot open direct connections to this one.*"\[::\]:PORT"/)],
  });
  expect((await openAt("10.0.0.1")).problems).toEqual([]);
});

test("a replica waits longer and longer before it replaces a connection that ends soon after its begin", async () => {
  const other = await listenForLinks({
    ...{ host: "127.0.0.1", port: 0, handshakeMs: 5_000, keys: await createLinkKeys(ring, "two") },
    onConnected: (_, socket) => void socket.on("error", () => {}).destroy(),
    onRefused: () => {},
  });
  const clock = createManualClock();
  const ends: number[] = [];
  const links = await openDirectLinks({
    ...{ listen: { host: "127.0.0.1", port: 0 }, localHost: undefined, self: "one", clock, ring },
    ...{ maxBytes: 1_000, silenceMs: 60_000 },
    isRedisUp: () => true,
    onChange: ({ kind }) => void (kind === "down" && ends.push(clock.now())),
    onProblem: () => {},
  });
  links.start({ lastSent: () => 0, whenReceived: () => undefined, receive: () => {} });
  links.observe([{ replica: "two", direct: `127.0.0.1:${other.port}` }]);
  for (let count = 1; count <= 8; count += 1) {
    await vi.waitUntil(
      async () => {
        await clock.advance(500);
        return ends.length >= count;
      },
      { timeout: 20_000, interval: 20 },
    );
  }
  await links.close();
  other.close();
  const [last = 0, before = 0] = ends.toReversed();
  expect(last - before).toBeGreaterThan(15_000);
});
