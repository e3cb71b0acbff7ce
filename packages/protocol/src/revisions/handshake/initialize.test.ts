// The answer to `initialize`, and the discover result made from it (D-20, D-51).
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
  it.each([undefined, null, "x", [], {}, { protocolVersion: 1 }])("parseInitializeResult rejects %j", (value) => {
    expect(() => parseInitializeResult(value)).toThrow("initialize: ");
  });

  it("parseInitializeResult requires only the revision and drops malformed members (A-36)", () => {
    const odd = { protocolVersion: "2024-11-05", capabilities: [], serverInfo: { name: 1 }, instructions: 7 };
    expect(parseInitializeResult(odd)).toEqual({
      protocolVersion: "2024-11-05",
      capabilities: {},
      serverInfo: undefined,
    });
  });
});

describe("toDiscoverResult", () => {
  it("toDiscoverResult declares no tasks, because only the tool list tells which tools support them (D-38)", () => {
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
  ])("the tasks capability %j covers tool calls: %s", (tasks, expected) => {
    expect(hasTaskTools({ tasks } as LegacyServerCapabilities)).toBe(expected);
  });

  it("hasTaskTools reads the tasks that FastMCP 2.14 declares under experimental", () => {
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} }, prompts: { get: {} } } };
    expect(hasTaskTools({ experimental: { tasks } })).toBe(true);
    expect(hasTaskTools({ experimental: { other: tasks } })).toBe(false);
    expect(ignoredTasksOf({ experimental: { tasks } })).toBeUndefined();
    expect(ignoredTasksOf({ experimental: { tasks: { list: {} } } })).toContain("they are ignored");
  });
});

describe("revisions", () => {
  it("revisions differ in the version header (D-37) and in whether they declare completions (D.6)", () => {
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

  it("isLegacyRevision accepts only the names of the four revisions with a handshake", () => {
    expect(["2025-06-18", "2026-07-28", "2025-11-26", 1].map(isLegacyRevision)).toEqual([true, false, false, false]);
  });
});
