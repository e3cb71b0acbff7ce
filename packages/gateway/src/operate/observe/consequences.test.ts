import { describe, expect, it } from "vitest";
import { consequencesOf, type Statefulness, useOf } from "./consequences.ts";

const base: Statefulness = {
  kind: "http",
  sharing: "session",
  affinity: "caller",
  isStateless: false,
  hasAuth: true,
  maxSessions: 64,
};

describe("how the gateway uses an upstream", () => {
  it.each<[Partial<Statefulness>, string]>([
    [{ sharing: "shared", affinity: "shared" }, "one connection for all"],
    [{ sharing: "shared", affinity: "shared", kind: "stdio" }, "one process for all"],
    [{ sharing: "shared", affinity: "caller" }, "a connection for each caller"],
    [{ sharing: "single", affinity: "shared" }, "one session, one request at a time"],
    [{}, "a session for each caller"],
    [{ kind: "stdio" }, "a process for each caller"],
    [{ hasAuth: false }, "one session for all: no gateway.auth"],
    [{ affinity: "shared" }, "one session for all, as configured"],
    [{ affinity: "handle" }, "a session for each conversation"],
    [{ affinity: "call", kind: "stdio" }, "a process for each call"],
  ])('describes the use of an upstream with %j as "%s"', (given, expected) => {
    expect(useOf({ ...base, ...given })).toBe(expected);
  });
});

describe("consequences of the use of an upstream", () => {
  it.each<[string, Partial<Statefulness>]>([
    ["an upstream that is shared", { sharing: "shared", affinity: "shared" }],
    ["sessions that any instance can continue", { isStateless: true }],
  ])("states no consequences for %s", (_what, given) => {
    expect(consequencesOf({ ...base, ...given })).toEqual([]);
  });

  it.each<[Partial<Statefulness>, string]>([
    [{}, "each caller gets its own session, at most 64 at a time; it ends with this gateway"],
    [{ hasAuth: false, kind: "stdio" }, "callers are anonymous: all share one process and see what others do there"],
    [
      { hasAuth: false, kind: "stdio", takesTurns: true },
      "does not say which call sends an input request, so a call that may send one runs alone",
    ],
    [{ hasReplicas: true }, "it ends with the replica that owns it; other replicas forward requests to that one"],
    [{ hasReplicas: true, affinity: "shared" }, "no other replica has it"],
    [{ affinity: "shared" }, "all callers share one session, as its affinity says"],
    [{ affinity: "handle" }, "each conversation gets its own session"],
    [{ affinity: "call" }, "each call gets its own session without state of earlier calls"],
    [{ sharing: "single", affinity: "shared" }, "takes one request at a time: callers wait for each other"],
  ])('states for an upstream with %j the consequence "%s"', (given, expected) => {
    expect(consequencesOf({ ...base, ...given })).toEqual([expect.stringContaining(expected)]);
  });
});
