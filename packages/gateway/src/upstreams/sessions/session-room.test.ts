import { describe, expect, it } from "vitest";
import { createFakeConnection, createFakeSessions, type FakeUpstream } from "../../testing/fakes.ts";
import { roomsOf } from "./session-room.ts";

const roomOf = (sessions: ReturnType<typeof createFakeSessions>["sessions"]) => [...roomsOf([sessions])];

describe("the room of an upstream", () => {
  it("is the number of sessions of callers, and how many there may be", async () => {
    const { sessions } = createFakeSessions({ affinity: "caller", sessions: { max: 5 } });
    await sessions.start();
    for (const caller of ["ann", "bob"]) await sessions.sessionFor(caller);
    expect(roomOf(sessions)).toEqual([["up", { used: 2, max: 5 }]]);
    await sessions.close();
  });

  it("is not told before the upstream has started, and not while it is down", async () => {
    const { sessions, opened } = createFakeSessions({ affinity: "caller", circuitBreaker: { firstMs: 60_000 } });
    expect(roomOf(sessions)).toEqual([]);
    await sessions.start();
    expect(roomOf(sessions)).toHaveLength(1);
    opened[0]?.end("it crashed");
    await opened[0]?.closed;
    expect(roomOf(sessions)).toEqual([]);
    await sessions.close();
  });

  it("is told before the start of an upstream that starts with its first call", async () => {
    const { sessions } = createFakeSessions({ affinity: "caller", start: "demand" });
    expect(roomOf(sessions)).toHaveLength(1);
    await sessions.close();
  });

  it.each<[string, FakeUpstream]>([
    ["all callers share a session", { affinity: "shared" }],
    ["each call has a session of its own", { affinity: "call" }],
  ])("is not told if %s", async (_, upstream) => {
    const { sessions } = createFakeSessions(upstream, createFakeConnection);
    await sessions.start();
    expect(roomOf(sessions)).toEqual([]);
    await sessions.close();
  });
});
