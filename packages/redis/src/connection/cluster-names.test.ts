import { describe, expect, it } from "vitest";
import { createClusterNames, directoryName } from "./cluster-names.ts";
import { keySlot } from "./key-slot.ts";

it("the slot of a key is that of its hash tag, as Redis computes it", () => {
  // From the specification of Redis Cluster, and of CLUSTER KEYSLOT.
  expect(keySlot("123456789")).toBe(0x31c3 % 16_384);
  expect(keySlot("foo")).toBe(12_182);
  expect(keySlot("a{foo}b")).toBe(12_182);
  expect(keySlot("{}foo")).toBe(keySlot("{}foo"));
  expect(keySlot("{}foo")).not.toBe(12_182);
  expect(keySlot("a{foo")).not.toBe(12_182);
});

describe("the keys of one script are in one slot:", () => {
  const nameOf = createClusterNames("lethe:");
  it.each([
    [
      "the directory",
      ["lease:a", "suspect:a", "member:b", "claim:c", "room:d", "quiet", "anybody", "earlier", directoryName],
    ],
    ["used states", ["single-use", "single-use:digest", "answer:id", "answering:id"]],
  ])("%s", (_, names) => {
    expect(new Set(names.map((name) => keySlot(nameOf(name)))).size).toBe(1);
  });

  it("a task store adds its parts behind its base", () => {
    expect(keySlot(`${nameOf("tasks:2")}:t:1`)).toBe(keySlot(`${nameOf("tasks:2")}:wait:x`));
  });

  it("other keys and the channels of replicas are spread over the shards", () => {
    const spread = (kind: string) => new Set(Array.from({ length: 50 }, (_, id) => keySlot(nameOf(`${kind}:${id}`))));
    for (const kind of ["replica", "session", "events", "rate:requests"]) expect(spread(kind).size).toBeGreaterThan(40);
  });
});
