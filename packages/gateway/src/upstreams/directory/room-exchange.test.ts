import type { Placement } from "@lethe/server/stores";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { digestOf, formatRoom, parseRoom, type UpstreamRoom } from "./replica-room.ts";
import { RoomExchange } from "./room-exchange.ts";

let rooms: RoomExchange;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  rooms.close();
  vi.useRealTimers();
});

const noteOf = (used: number, isDraining = false) =>
  formatRoom({ isDraining, upstreams: new Map([[digestOf("up"), { used, max: 2 }]]) });

function start(own: readonly (readonly [string, UpstreamRoom])[] = [["up", { used: 2, max: 2 }]]) {
  const exchange = vi.fn<Placement["exchange"]>().mockResolvedValue(new Map([["two", noteOf(0)]]));
  rooms = new RoomExchange({ placement: { exchange, isOwned: async () => false }, self: "one", read: () => own });
  return { exchange, drainingNotes: () => exchange.mock.calls.map(([note]) => parseRoom(note)?.isDraining) };
}

describe("the exchange of notes about room", () => {
  it("happens every 1.5 s", async () => {
    const { exchange } = start();
    await vi.advanceTimersByTimeAsync(4_500);
    expect(exchange).toHaveBeenCalledTimes(3);
    expect(exchange).toHaveBeenCalledWith(noteOf(2), { ttlMs: 4_000, max: 100 });
  });

  it("costs nothing while no upstream has sessions of callers", async () => {
    const { exchange } = start([]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(exchange).not.toHaveBeenCalled();
  });

  it("waits for a slow answer before it begins again", async () => {
    const { exchange } = start();
    exchange.mockReturnValue(new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(exchange).toHaveBeenCalledTimes(1);
  });

  it("says at once that this replica is draining", async () => {
    const { drainingNotes } = start();
    rooms.drain();
    expect(drainingNotes()).toEqual([true]);
  });

  it("says that this replica is draining after an exchange that was in progress", async () => {
    const { drainingNotes } = start();
    void rooms.exchange();
    rooms.drain();
    await vi.advanceTimersByTimeAsync(0);
    expect(drainingNotes()).toEqual([false, true]);
  });

  it("ends with the gateway", async () => {
    const { exchange } = start();
    rooms.close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(exchange).not.toHaveBeenCalled();
  });
});

describe("the choice by notes", () => {
  it("counts the sessions that were handed on since the last notes", async () => {
    start();
    await rooms.exchange();
    expect([1, 2, 3].map(() => rooms.choose("up", "full")?.replica)).toEqual(["two", "two", undefined]);
    await rooms.exchange();
    expect(rooms.choose("up", "full")?.replica).toBe("two");
  });

  it("leaves out a replica that refused, until its next note", async () => {
    start();
    await rooms.exchange();
    rooms.choose("up", "full")?.refused();
    expect(rooms.choose("up", "full")).toBeUndefined();
    await rooms.exchange();
    expect(rooms.choose("up", "full")).toBeDefined();
  });

  it("leaves out replicas that share too little, and upstreams that the other one does not have", async () => {
    const { exchange } = start();
    exchange.mockResolvedValue(new Map([["two", noteOf(1)]]));
    await rooms.exchange();
    expect(rooms.choose("up", "crowded", 0.6)).toBeUndefined();
    expect(rooms.choose("other", "full")).toBeUndefined();
    expect(rooms.choose("up", "crowded", 0.5)).toBeDefined();
  });

  it("forgets notes 4 s after they were read, while the shared state is out of reach", async () => {
    const { exchange } = start();
    await rooms.exchange();
    exchange.mockRejectedValue(new Error("away"));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(rooms.choose("up", "full")).toBeDefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(rooms.choose("up", "full")).toBeUndefined();
  });

  it("counts only the requests that the other replica accepted, by reason", async () => {
    start();
    await rooms.exchange();
    rooms.choose("up", "draining")?.accepted();
    rooms.choose("up", "full")?.refused();
    expect(rooms.counts).toEqual({ draining: 1, full: 0, crowded: 0 });
  });

  it("tells for each upstream how many replicas have room", async () => {
    const { exchange } = start();
    exchange.mockResolvedValue(
      new Map([
        ["two", noteOf(0)],
        ["three", noteOf(2)],
        ["four", noteOf(0, true)],
        ["five", "of another version"],
      ]),
    );
    await rooms.exchange();
    expect(rooms.replicasWithRoom).toEqual({ up: 1 });
  });
});
