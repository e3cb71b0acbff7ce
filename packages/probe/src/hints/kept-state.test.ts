import { describe, expect, it } from "vitest";
import { signsOfKeptState } from "./kept-state.ts";

const tool = (name: string, argument = "text", more: object = {}) => ({
  name,
  inputSchema: { type: "object", properties: { [argument]: { type: "string" } } },
  ...more,
});

describe("signs that tools keep state between calls", () => {
  it.each(["session", "session_id", "sessionId", "conversation", "conversation-id", "handle", "tabId", "kernel_name"])(
    "include an argument %j",
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
  ])("include the name %s", (name) => {
    expect(signsOfKeptState([tool(name)])).toEqual([
      `tool ${name} is named like one that changes what later calls work on`,
    ]);
  });

  it.each(["list_open_issues", "get_settings", "user_search", "closest_station", "dataset_list", "search"])(
    "do not include the name %s",
    (name) => {
      expect(signsOfKeptState([tool(name)])).toEqual([]);
    },
  );

  it.each(["page", "cursor", "connection", "process", "text", "sessions"])(
    "do not include an argument %j",
    (argument) => {
      expect(signsOfKeptState([tool("search", argument)])).toEqual([]);
    },
  );

  it("do not include the name of a tool that says that it only reads", () => {
    expect(signsOfKeptState([tool("open_page", "text", { annotations: { readOnlyHint: true } })])).toEqual([]);
  });

  it("are at most five, and the rest is counted", () => {
    const signs = signsOfKeptState(Array.from({ length: 1_000 }, (_, index) => tool(`open_${index}`)));
    expect(signs).toHaveLength(6);
    expect(signs.at(-1)).toBe("995 more tools show the same signs");
  });

  it("ignore definitions that are no tools", () => {
    expect(signsOfKeptState([null, 5, {}, { name: 5 }, { name: "x", inputSchema: { properties: [] } }])).toEqual([]);
  });
});
