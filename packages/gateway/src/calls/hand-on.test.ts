// Where the sessions of a stateful upstream open, with several replicas of a gateway in one process.
import type { Result } from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createReplicasWithRoom, type ReplicasWithRoom } from "../testing/replicas-with-room.ts";

let fleet: ReplicasWithRoom;
beforeEach(() => {
  vi.useFakeTimers();
  fleet = createReplicasWithRoom();
});
afterEach(async () => {
  await fleet.close();
  vi.useRealTimers();
});

const limits = { sessions: { max: 2, waitMs: 0 } };
const textOf = ({ content }: Result) => (content as { text: string }[]).map(({ text }) => text).join();

describe("a replica that is full", () => {
  it("hands new callers to a replica with room, and sends the later calls of these callers there", async () => {
    const [one, two] = [fleet.add("one", limits), fleet.add("two", limits)];
    await fleet.exchange();
    const callers = ["ann", "bob", "cleo", "dan"];
    const first = [];
    for (const caller of callers) first.push(textOf(await one.send(caller)));
    expect(first).toEqual(["one", "one", "two", "two"]);
    await fleet.exchange();
    for (const caller of callers) await one.send(caller);
    expect([one.callers(), two.callers()]).toEqual([
      ["ann", "bob"],
      ["cleo", "dan"],
    ]);
    expect(one.rooms.counts).toEqual({ draining: 0, full: 2, crowded: 0 });
  });

  it("ends no idle session of another caller, however long it was idle", async () => {
    const [one, two] = [fleet.add("one", limits), fleet.add("two", limits)];
    for (const caller of ["ann", "bob"]) await one.send(caller);
    vi.advanceTimersByTime(120_000);
    await fleet.exchange();
    expect(textOf(await one.send("cleo"))).toBe("two");
    expect([one.callers(), two.callers()]).toEqual([["ann", "bob"], ["cleo"]]);
  });

  it("ends the session that was idle for longest if no replica has room", async () => {
    const [one, two] = [fleet.add("one", limits), fleet.add("two", limits)];
    for (const caller of ["ann", "bob"]) await one.send(caller);
    for (const caller of ["cleo", "dan"]) await two.send(caller);
    vi.advanceTimersByTime(120_000);
    await fleet.exchange();
    expect(textOf(await one.send("eve"))).toBe("one");
    expect(one.callers()).toEqual(["bob", "eve"]);
  });

  it("sends a caller to the replica that owns the session of this caller", async () => {
    const [one, two, three] = ["one", "two", "three"].map((self) => fleet.add(self, limits));
    for (const caller of ["ann", "bob"]) await one?.send(caller);
    await three?.send("cleo");
    await fleet.exchange();
    expect(textOf((await one?.send("cleo")) as Result)).toBe("three");
    expect([two?.received, one?.rooms.counts.full]).toEqual([[], 0]);
  });

  it("opens the session itself while the shared state cannot say whether the session has an owner", async () => {
    const [one] = [fleet.add("one", limits), fleet.add("two", limits)];
    for (const caller of ["ann", "bob"]) await one.send(caller);
    vi.advanceTimersByTime(120_000);
    await fleet.exchange();
    fleet.isAway = true;
    expect(textOf(await one.send("cleo"))).toBe("one");
  });

  it("knows nothing about the others 4 s after their last notes", async () => {
    const [one] = [fleet.add("one", limits), fleet.add("two", limits)];
    for (const caller of ["ann", "bob"]) await one.send(caller);
    await fleet.exchange();
    fleet.isAway = true;
    await vi.advanceTimersByTimeAsync(4_001);
    expect(one.rooms.replicasWithRoom).toEqual({ up: 0 });
  });

  it("keeps a caller who has as many sessions as one may have", async () => {
    const plan = { affinity: "handle", sessions: { max: 2, maxPerCaller: 2 } } as const;
    const [one, two] = [fleet.add("one", plan), fleet.add("two", plan)];
    await fleet.exchange();
    for (const _ of [1, 2, 3]) await one.send("ann");
    expect([one.callers(), two.callers()]).toEqual([["ann", "ann"], []]);
  });
});

describe("a request that was handed on", () => {
  it("runs once, where it arrived first, if the other replica has no room any more", async () => {
    const [one, two, three] = ["one", "two", "three"].map((self) => fleet.add(self, limits));
    for (const caller of ["ann", "bob"]) await one?.send(caller);
    await fleet.exchange();
    // The second replica fills up after its note.
    for (const caller of ["cleo", "dan"]) await two?.send(caller);
    vi.advanceTimersByTime(120_000);
    await one?.rooms.exchange();
    expect(textOf((await one?.send("eve")) as Result)).toBe("one");
    expect([two?.received.length, three?.received.length]).toEqual([1, 0]);
    expect([one, two, three].flatMap((replica) => replica?.served ?? []).filter((caller) => caller === "eve")).toEqual([
      "eve",
    ]);
    expect(two?.callers()).toEqual(["cleo", "dan"]);
    expect([...fleet.owners]).toContainEqual(["up caller eve", "one"]);
  });

  it("is not handed on again by a replica that has much less room than a third one", async () => {
    const [one, two] = [fleet.add("one", limits), fleet.add("two", { sessions: { max: 8, waitMs: 0 } })];
    for (const caller of ["ann", "bob"]) await one.send(caller);
    for (let index = 0; index < 7; index += 1) await two.send(`other ${index}`);
    await fleet.exchange();
    const three = fleet.add("three", limits);
    await three.rooms.exchange();
    await two.rooms.exchange();
    expect(textOf(await one.send("eve"))).toBe("two");
    expect(three.received).toEqual([]);
    // It was crowded, and knew the third one: a request of a caller is handed on.
    expect(textOf(await two.send("fay"))).toBe("three");
  });

  it("is handed to no replica that refused one, until that replica has sent its next note", async () => {
    const [one, two] = [fleet.add("one", limits), fleet.add("two", limits)];
    for (const caller of ["ann", "bob"]) await one.send(caller);
    await fleet.exchange();
    for (const caller of ["cleo", "dan"]) await two.send(caller);
    await expect(one.send("eve")).rejects.toMatchObject({ data: { reason: "busy" } });
    await expect(one.send("eve")).rejects.toMatchObject({ data: { reason: "busy" } });
    expect(two.received).toHaveLength(1);
  });

  it("goes to the owner if a third replica has opened the session meanwhile", async () => {
    const [one, two, three] = ["one", "two", "three"].map((self) => fleet.add(self, limits));
    for (const caller of ["ann", "bob"]) await one?.send(caller);
    await fleet.exchange();
    const placement = one?.directory.placement as { isOwned(key: string): Promise<boolean> };
    placement.isOwned = async () => {
      await three?.send("eve");
      return false;
    };
    expect(textOf((await one?.send("eve")) as Result)).toBe("three");
    expect([two?.callers(), two?.received.length, three?.received.length]).toEqual([[], 1, 1]);
  });

  it("is not repeated if it failed at the other replica", async () => {
    const [one, two] = [fleet.add("one", limits), fleet.add("two", limits)];
    for (const caller of ["ann", "bob"]) await one.send(caller);
    await fleet.exchange();
    const reach = vi.spyOn(one.directory, "reach").mockReturnValue(async () => {
      throw new Error("the answer got lost");
    });
    await expect(one.send("cleo")).rejects.toThrow("the answer got lost");
    expect([reach.mock.calls.length, one.callers(), two.callers()]).toEqual([1, ["ann", "bob"], []]);
  });
});

describe("a replica that is draining", () => {
  it("opens no session while another one has room", async () => {
    const [one, two] = [fleet.add("one", limits), fleet.add("two", limits)];
    await one.send("ann");
    await fleet.exchange();
    one.rooms.drain();
    expect(textOf(await one.send("bob"))).toBe("two");
    expect(textOf(await one.send("ann"))).toBe("one");
    expect([one.callers(), two.callers()]).toEqual([["ann"], ["bob"]]);
    expect(one.rooms.counts).toEqual({ draining: 1, full: 0, crowded: 0 });
  });

  it("gets no session from others, and refuses one that was sent before its note arrived", async () => {
    const [one, two] = [fleet.add("one", limits), fleet.add("two", limits)];
    for (const caller of ["ann", "bob"]) await one.send(caller);
    vi.advanceTimersByTime(120_000);
    await fleet.exchange();
    two.rooms.drain();
    expect(textOf(await one.send("cleo"))).toBe("one");
    expect([two.received.length, two.callers()]).toEqual([1, []]);
    await one.rooms.exchange();
    expect(one.rooms.replicasWithRoom).toEqual({ up: 0 });
  });

  it("opens a session as before if no other replica has room", async () => {
    const one = fleet.add("one", limits);
    await fleet.exchange();
    one.rooms.drain();
    expect(textOf(await one.send("ann"))).toBe("one");
  });
});

describe("a replica with much less room than another one", () => {
  async function fill(replica: { send(caller: string): Promise<Result> }, count: number, name: string) {
    for (let index = 0; index < count; index += 1) await replica.send(`${name} ${index}`);
  }
  const wide = { sessions: { max: 8, waitMs: 0 } };

  it("opens sessions itself until three quarters of its places are taken", async () => {
    const [one, two] = [fleet.add("one", wide), fleet.add("two", wide)];
    await fleet.exchange();
    await fill(one, 7, "early");
    expect(two.received).toEqual([]);
    expect(textOf(await one.send("late"))).toBe("two");
    expect(one.rooms.counts).toEqual({ draining: 0, full: 0, crowded: 1 });
  });

  it("keeps sessions if the other one has less than twice its free share", async () => {
    const [one, two] = [fleet.add("one", wide), fleet.add("two", wide)];
    await fill(one, 7, "early");
    await fill(two, 7, "other");
    await fleet.exchange();
    expect(textOf(await one.send("late"))).toBe("one");
    expect(two.received).toEqual([]);
  });
});
