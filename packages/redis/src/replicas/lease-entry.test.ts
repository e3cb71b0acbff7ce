import { createKeyFingerprints } from "@lethe/server/forwarding";
import { createKeyRing } from "@lethe/server/stores";
import { expect, test } from "vitest";
import { formatLeaseEntry, parseLeaseEntry } from "./lease-entry.ts";

function ringOf(...numbers: number[]) {
  return createKeyRing(numbers.map((n) => `k${n}:${Buffer.alloc(32, n).toString("base64url")}`).join());
}

test("an entry contains what it was made of", () => {
  for (const address of [undefined, "10.0.0.1:8080", "[::1]:80", "a,b:1"]) {
    const entry = { fingerprints: "one,two,three", validMs: 700, leaseMs: 2_500, address };
    expect(parseLeaseEntry(formatLeaseEntry(entry))).toEqual(entry);
  }
});

test("the entry of an earlier build has neither heartbeats nor an address", () => {
  const entry = { fingerprints: "one,two", validMs: undefined, leaseMs: undefined, address: undefined };
  expect(parseLeaseEntry("one,two")).toEqual(entry);
  expect(parseLeaseEntry("one,two,valid:x,lease:,at:%E0%A4%A")).toEqual(entry);
});

test("an earlier build, which reads fingerprints alone, finds the keys in an entry", async () => {
  const one = await createKeyFingerprints(ringOf(1));
  const both = await createKeyFingerprints(ringOf(2, 1));
  for (const [own, other] of [
    [one, one],
    [both, both],
  ] as const) {
    expect(other.fit(formatLeaseEntry({ fingerprints: own.own, validMs: 700, leaseMs: 2_500, address: "h:1" }))).toBe(
      true,
    );
  }
  const foreign = await createKeyFingerprints(ringOf(3));
  expect(
    foreign.fit(formatLeaseEntry({ fingerprints: one.own, validMs: 700, leaseMs: 2_500, address: undefined })),
  ).toBe(false);
});
