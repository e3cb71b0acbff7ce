import { describe, expect, it } from "vitest";
import { maxOffered, mergeExtensions, readOfferedExtensions } from "./offered-extensions.ts";

const ui = "io.modelcontextprotocol/ui";

describe("the extensions that an upstream offers", () => {
  it("keeps all but those that the gateway handles itself and names that are no extension ids", () => {
    const extensions = JSON.parse('{"__proto__": {"x": 1}, "io.modelcontextprotocol/tasks": {}, "a.b/c": {"y": 1}}');
    expect(readOfferedExtensions({ extensions, experimental: { tasks: {}, e: {} } })).toEqual({
      offered: { extensions: { "a.b/c": { y: 1 } }, experimental: { e: {} } },
      problems: [],
    });
  });

  it("keeps a bounded number of extensions and of characters, and reports the rest in one line", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`a.b/c${index}`, {}]));
    const { offered, problems } = readOfferedExtensions({ extensions: many });
    expect(Object.keys(offered.extensions ?? {})).toHaveLength(maxOffered);
    expect(problems).toEqual([expect.stringContaining('99936 of its capabilities under "extensions" are left out')]);
    const long = readOfferedExtensions({ extensions: { "a.b/long": { text: "x".repeat(70_000) }, "a.b/c": {} } });
    expect(long.offered).toEqual({ extensions: { "a.b/c": {} } });
    expect(long.problems).toHaveLength(1);
  });
});

describe("the extensions that an endpoint offers", () => {
  it("offers an extension of one upstream unchanged", () => {
    expect(mergeExtensions([{ extensions: { "a.b/c": { x: 1 } } }, {}])).toEqual({ extensions: { "a.b/c": { x: 1 } } });
  });

  it("leaves out an extension of several upstreams, because requests for it would not name one", () => {
    const one = { extensions: { "a.b/c": {} }, experimental: { e: {} } };
    expect(mergeExtensions([one, one])).toEqual({});
  });

  it("offers MCP Apps of several upstreams with the settings that all of them have", () => {
    const mimeTypes = ["text/html;profile=mcp-app"];
    const offered = [{ extensions: { [ui]: { mimeTypes, x: 1 } } }, { extensions: { [ui]: { mimeTypes, x: 2 } } }];
    expect(mergeExtensions(offered)).toEqual({ extensions: { [ui]: { mimeTypes } } });
  });
});
