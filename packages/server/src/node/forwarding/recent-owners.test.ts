import { beforeEach, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../../testing/manual-clock.ts";
import { RecentOwners } from "./recent-owners.ts";

let clock: ManualClock;
let listed: Set<string>;
let recent: RecentOwners;

beforeEach(() => {
  clock = createManualClock();
  listed = new Set(["b"]);
  const isListed = (replica: string) => listed.has(replica);
  recent = new RecentOwners({ clock, timings: { aliveMs: 250, ownerMs: 60_000, absentMs: 100 }, isListed });
});

it("an owner is known as long as Redis lists it, also when it sends nothing", async () => {
  recent.addOwner("session", "b");
  await clock.advance(30_000);
  expect(recent.ownerOf("session")).toBe("b");
  listed.delete("b");
  expect(recent.ownerOf("session")).toBeUndefined();
});

it("an owner is looked up again when it forwarded a request for its session, and the owners of other sessions are not", () => {
  recent.addOwner("moved", "b");
  recent.addOwner("other", "b");
  recent.doubtOwner("moved");
  expect([recent.ownerOf("moved"), recent.ownerOf("other")]).toEqual([undefined, "b"]);
  recent.addOwner("moved", "b");
  expect(recent.ownerOf("moved")).toBe("b");
});

it("an owner is looked up again after ownerMs", async () => {
  recent.addOwner("session", "b");
  await clock.advance(60_000);
  expect(recent.ownerOf("session")).toBeUndefined();
});

it("a message without a receiver contradicts what was known of that replica, and of no other", () => {
  listed.add("c");
  recent.addOwner("one", "b");
  recent.addOwner("two", "c");
  recent.forget("b");
  expect([recent.ownerOf("one"), recent.ownerOf("two")]).toEqual([undefined, "c"]);
  expect(recent.isAlive("b")).toBe(false);
  // A later message, about another request, does not restore what was known.
  recent.addAlive("b");
  expect(recent.ownerOf("one")).toBeUndefined();
  recent.addOwner("one", "b");
  expect(recent.ownerOf("one")).toBe("b");
});

it("a replica is alive for a moment after its message, and then only if it is listed", async () => {
  recent.addAlive("unlisted");
  expect(recent.isAlive("unlisted")).toBe(true);
  await clock.advance(250);
  expect(recent.isAlive("unlisted")).toBe(false);
});

it("a replica that is listed and unheard of is asked for its keys first", () => {
  expect(recent.isAlive("b")).toBe(false);
});

it("a session that this replica has acquired has no other owner", () => {
  recent.addOwner("session", "b");
  recent.deleteOwner("session");
  expect(recent.ownerOf("session")).toBeUndefined();
});

it("after a reconnect, Redis is asked for every owner", () => {
  recent.addOwner("session", "b");
  recent.forgetAll();
  expect(recent.ownerOf("session")).toBeUndefined();
});

it("while the owner of sessions cannot be reached, one request for them may ask after each pause", async () => {
  const mayAsk = (key: string) => {
    try {
      recent.requireReachable(key);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ reason: "unavailable", retryAfterMs: 100 });
      return false;
    }
  };
  for (const key of ["one", "two"]) recent.addOwner(key, "b");
  recent.addOwner("other", "c");
  recent.missed("b");
  expect(["one", "two", "other", "unknown"].map(mayAsk)).toEqual([false, false, true, true]);
  await clock.advance(100);
  expect(["one", "two"].map(mayAsk)).toEqual([true, false]);
  // The answer names the same owner, which still cannot be reached.
  expect(recent.addNamed("one", "b")).toBe(false);
  recent.addAbsent("b");
  expect(recent.ownerOf("one")).toBeUndefined();
  await clock.advance(100);
  expect(["two", "one"].map(mayAsk)).toEqual([true, false]);
  // The answer names another one: the sessions of the first have moved.
  expect(recent.addNamed("two", "c")).toBe(true);
  expect(["one", "two"].map(mayAsk)).toEqual([true, true]);
});

it("a message from a replica shows that it can be reached", () => {
  recent.addOwner("session", "b");
  recent.missed("b");
  expect(() => recent.requireReachable("session")).toThrow("cannot be reached");
  recent.receivedFrom("b");
  recent.requireReachable("session");
});
