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

describe("what the gateway does with an upstream", () => {
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
  ])("%j: %s", (given, expected) => {
    expect(useOf({ ...base, ...given })).toBe(expected);
  });
});

describe("what follows from it", () => {
  it.each<[string, Partial<Statefulness>]>([
    ["an upstream that is shared", { sharing: "shared", affinity: "shared" }],
    ["sessions that any instance goes on with", { isStateless: true }],
  ])("nothing from %s", (_what, given) => {
    expect(consequencesOf({ ...base, ...given })).toEqual([]);
  });

  it.each<[Partial<Statefulness>, string]>([
    [{}, "each caller gets a session of its own, at most 64 at a time; it ends with this gateway"],
    [{ hasAuth: false, kind: "stdio" }, "callers have no names: all share one process and see what others did there"],
    [
      { hasAuth: false, kind: "stdio", takesTurns: true },
      "does not say which call asks its user, so a call that may ask runs alone there",
    ],
    [{ hasReplicas: true }, "it ends with the replica that keeps it, and the others pass requests on to that one"],
    [{ hasReplicas: true, affinity: "shared" }, "and no other replica has it"],
    [{ affinity: "shared" }, "all callers share one session, as its affinity says"],
    [{ affinity: "handle" }, "each conversation gets a session of its own"],
    [{ affinity: "call" }, "each call gets a session of its own and finds nothing of the calls before"],
    [{ sharing: "single", affinity: "shared" }, "takes one request at a time: callers wait for each other"],
  ])("%j: %s", (given, expected) => {
    expect(consequencesOf({ ...base, ...given })).toEqual([expect.stringContaining(expected)]);
  });
});
