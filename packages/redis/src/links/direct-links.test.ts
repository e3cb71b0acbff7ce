// What a replica says about the address at which others reach it.
import { createKeyRing, systemClock } from "@lethe/server/stores";
import { expect, test } from "vitest";
import { openDirectLinks } from "./direct-links.ts";

async function openAt(localHost: string) {
  const problems: string[] = [];
  const links = await openDirectLinks({
    ...{ listen: { host: "0.0.0.0", port: 0 }, localHost, self: "one", clock: systemClock },
    ...{ ring: createKeyRing(`k1:${"A".repeat(43)}`), maxBytes: 1_000, silenceMs: 60_000 },
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
