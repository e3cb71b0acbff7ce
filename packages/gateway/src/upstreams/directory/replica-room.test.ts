import { describe, expect, it } from "vitest";
import { digestOf, formatRoom, parseRoom, type ReplicaRoom } from "./replica-room.ts";

const room: ReplicaRoom = { isDraining: true, upstreams: new Map([[digestOf("up"), { used: 3, max: 64 }]]) };

describe("the note about the room of a replica", () => {
  it("says the same after it was read", () => {
    expect(parseRoom(formatRoom(room))).toEqual(room);
    expect(parseRoom(formatRoom({ ...room, isDraining: false }))).toEqual({ ...room, isDraining: false });
  });

  it("does not contain the names of upstreams", () => {
    expect(formatRoom({ ...room, upstreams: new Map([[digestOf("payroll"), { used: 0, max: 1 }]]) })).not.toContain(
      "payroll",
    );
  });

  it("has the first 64 upstreams, and is short", () => {
    const names = Array.from({ length: 100 }, (_, index) => `upstream-${index}`);
    const upstreams = new Map(names.map((name) => [digestOf(name), { used: 999_999, max: 1_000_000 }]));
    const note = formatRoom({ isDraining: false, upstreams });
    expect(note.length).toBeLessThan(4_096);
    expect([...(parseRoom(note)?.upstreams.keys() ?? [])]).toEqual(names.slice(0, 64).map(digestOf));
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "[]"],
    ["no room", "{}"],
    ["a room of another form", '{"room":{"a":1}}'],
    ["numbers that count nothing", '{"room":{"a":[-1,2.5]}}'],
    ["too much text", JSON.stringify({ room: {}, more: "x".repeat(5_000) })],
  ])("is ignored if it is %s", (_, note) => expect(parseRoom(note)).toBeUndefined());
});
