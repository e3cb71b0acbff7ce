// The answer to `initialize`, and what a modern caller reads out of it (D-20, D-51).
import { describe, expect, it } from "vitest";
import { isLegacyRevision, revisionNamed } from "../find-revision.ts";
import {
  hasTaskTools,
  ignoredTasksOf,
  type LegacyServerCapabilities,
  parseInitializeResult,
  toDiscoverResult,
} from "./initialize.ts";

describe("parseInitializeResult", () => {
  it.each([undefined, null, "x", [], {}, { protocolVersion: 1 }])("%j is none", (value) => {
    expect(() => parseInitializeResult(value)).toThrow("initialize: ");
  });

  it("needs no more than a revision; what is malformed beside it counts as absent (A-36)", () => {
    const odd = { protocolVersion: "2024-11-05", capabilities: [], serverInfo: { name: 1 }, instructions: 7 };
    expect(parseInitializeResult(odd)).toEqual({
      protocolVersion: "2024-11-05",
      capabilities: {},
      serverInfo: undefined,
    });
  });
});

describe("toDiscoverResult", () => {
  it("declares no tasks of either kind: core tasks are of some tools only, and known call by call (D-38)", () => {
    const capabilities = { tools: {}, tasks: {}, extensions: { "io.modelcontextprotocol/tasks": {}, "x.y/z": {} } };
    const { capabilities: modern } = toDiscoverResult({
      protocolVersion: "2025-11-25",
      capabilities,
      serverInfo: undefined,
    });
    expect(modern).toEqual({ tools: {}, extensions: { "x.y/z": {} } });
    expect(capabilities.extensions).toHaveProperty(["io.modelcontextprotocol/tasks"]);
  });
});

describe("hasTaskTools", () => {
  it.each([
    [{ requests: { tools: { call: {} } } }, true],
    [{ list: {}, requests: {} }, false],
    [{ requests: { tools: true } }, false],
    [true, false],
    [undefined, false],
  ])("core tasks %j are of tools: %s", (tasks, expected) => {
    expect(hasTaskTools({ tasks } as LegacyServerCapabilities)).toBe(expected);
  });

  it("reads the core tasks that FastMCP 2.14 declares under experimental", () => {
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} }, prompts: { get: {} } } };
    expect(hasTaskTools({ experimental: { tasks } })).toBe(true);
    expect(hasTaskTools({ experimental: { other: tasks } })).toBe(false);
    expect(ignoredTasksOf({ experimental: { tasks } })).toBeUndefined();
    expect(ignoredTasksOf({ experimental: { tasks: { list: {} } } })).toContain("they are ignored");
  });
});

describe("revisions", () => {
  it("differ in the version header (D-37) and in whether completions are declared (D.6)", () => {
    const known = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
    expect(known.map((revision) => revisionNamed(revision).traits.hasVersionHeader)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(known.map((revision) => revisionNamed(revision).traits.declaresCompletions)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("are legacy by name only: a later one is not, nor is a number", () => {
    expect(["2025-06-18", "2026-07-28", "2025-11-26", 1].map(isLegacyRevision)).toEqual([true, false, false, false]);
  });
});
