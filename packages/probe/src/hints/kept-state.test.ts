import { describe, expect, it } from "vitest";
import { signsOfKeptState } from "./kept-state.ts";

const tool = (name: string, argument = "text", more: object = {}) => ({
  name,
  inputSchema: { type: "object", properties: { [argument]: { type: "string" } } },
  ...more,
});

describe("signs that tools keep state between calls", () => {
  it.each(["session", "session_id", "sessionId", "conversation", "conversation-id", "handle", "tabId", "kernel_name"])(
    "an argument %j is a sign",
    (argument) => {
      expect(signsOfKeptState([tool("run", argument)])).toEqual([`tool run has an argument "${argument}"`]);
    },
  );

  it.each([
    "activate_project",
    "select-database",
    "openPage",
    "close",
    "use_branch",
    "set_cwd",
    "browser_close",
    "switchTab",
  ])("the tool name %s is a sign", (name) => {
    expect(signsOfKeptState([tool(name)])).toEqual([
      `tool ${name} is named like a tool that changes the context of later calls`,
    ]);
  });

  it.each(["list_open_issues", "get_settings", "user_search", "closest_station", "dataset_list", "search"])(
    "the tool name %s is no sign",
    (name) => {
      expect(signsOfKeptState([tool(name)])).toEqual([]);
    },
  );

  it.each(["page", "cursor", "connection", "process", "text", "sessions"])("an argument %j is no sign", (argument) => {
    expect(signsOfKeptState([tool("search", argument)])).toEqual([]);
  });

  it("the name of a tool annotated as read-only is no sign", () => {
    expect(signsOfKeptState([tool("open_page", "text", { annotations: { readOnlyHint: true } })])).toEqual([]);
  });

  it("lists at most five signs and counts the rest", () => {
    const signs = signsOfKeptState(Array.from({ length: 1_000 }, (_, index) => tool(`open_${index}`)));
    expect(signs).toHaveLength(6);
    expect(signs.at(-1)).toBe("995 more tools show the same signs");
  });

  it("ignores invalid tool definitions", () => {
    expect(signsOfKeptState([null, 5, {}, { name: 5 }, { name: "x", inputSchema: { properties: [] } }])).toEqual([]);
  });
});
