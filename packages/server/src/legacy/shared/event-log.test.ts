// The event log in memory: following streams, and its limits.
import { describe, expect, it } from "vitest";
import { createMemoryEventLog, type EventLog, type Following, type MemoryEventLogOptions } from "./event-log.ts";

const name = (streamId: string, sessionId = "s") => ({ sessionId, streamId });

function follow(log: EventLog, streamId: string, after = 0, sessionId = "s") {
  const heard: string[] = [];
  const following = log.follow(name(streamId, sessionId), after, {
    event: (_seq, text) => heard.push(text),
    end: () => heard.push("end"),
  }) as Following | undefined;
  return { heard, following };
}

function fill(log: EventLog, streamId: string, texts: readonly string[]): void {
  log.begin(name(streamId));
  for (const [index, text] of texts.entries()) log.append(name(streamId), index + 1, text);
}

const withClock = (options: MemoryEventLogOptions = {}) => {
  let time = 0;
  const log = createMemoryEventLog({ ...options, now: () => time });
  const pass = (ms: number): void => {
    time += ms;
  };
  return { log, pass };
};

describe("the log of event streams", () => {
  it("passes the events after a position, then new events, then the end", () => {
    const log = createMemoryEventLog();
    fill(log, "a", ["1", "2"]);
    const { heard, following } = follow(log, "a", 1);
    log.append(name("a"), 3, "3");
    log.end(name("a"));
    expect([heard, following?.isEnded]).toEqual([["2", "3", "end"], false]);
    expect(follow(log, "a", 2)).toMatchObject({ heard: ["3"], following: { isEnded: true } });
  });

  it("passes nothing to a follower that has stopped", () => {
    const log = createMemoryEventLog();
    fill(log, "a", []);
    const { heard, following } = follow(log, "a");
    following?.stop();
    log.append(name("a"), 1, "1");
    log.end(name("a"));
    expect(heard).toEqual([]);
  });

  it("does not know streams of other sessions, unknown streams, and expired ones", () => {
    const { log, pass } = withClock({ maxAgeMs: 10 });
    fill(log, "a", ["1"]);
    log.append(name("b"), 1, "1");
    log.end(name("b"));
    expect([follow(log, "a", 0, "t").following, follow(log, "b").following]).toEqual([undefined, undefined]);
    pass(100);
    expect(follow(log, "a").heard).toEqual(["1"]);
    log.end(name("a"));
    pass(9);
    expect(follow(log, "a").heard).toEqual(["1"]);
    pass(1);
    expect(follow(log, "a").following).toBeUndefined();
  });

  it("drops the oldest events of a stream beyond the limits of number and size", () => {
    const log = createMemoryEventLog({ maxEvents: 2, maxSize: 5 });
    fill(log, "a", ["1", "2", "3"]);
    expect(follow(log, "a").heard).toEqual(["2", "3"]);
    fill(log, "b", ["123", "456"]);
    expect(follow(log, "b").heard).toEqual(["456"]);
    fill(log, "c", ["1234567"]);
    expect(follow(log, "c").heard).toEqual([]);
  });

  it("drops ended streams first when the total limits are exceeded", () => {
    const log = createMemoryEventLog({ maxTotalSize: 4, maxStreams: 3 });
    fill(log, "a", ["12"]);
    log.end(name("a"));
    fill(log, "b", ["34"]);
    fill(log, "c", ["5"]);
    expect([follow(log, "a").following, follow(log, "b").heard, follow(log, "c").heard]).toEqual([
      undefined,
      ["34"],
      ["5"],
    ]);
    fill(log, "d", []);
    fill(log, "e", []);
    expect([follow(log, "b").following, follow(log, "e").following?.isEnded]).toEqual([undefined, false]);
  });
});
