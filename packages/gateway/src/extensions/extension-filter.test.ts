import { describe, expect, it } from "vitest";
import { declaredExtensionsOf, noExtensions } from "./declared-extensions.ts";
import { createExtensionFilter, extensionFilterOf } from "./extension-filter.ts";

const declared = declaredExtensionsOf({
  extensions: { "com.example/one": { x: 1 }, "org.example/two": {} },
  experimental: { three: {} },
});

describe("the extensions that pass between callers and an upstream", () => {
  it("are all without a setting, with the objects of the caller", () => {
    const filter = createExtensionFilter(undefined);
    expect(filter.passesAll).toBe(true);
    expect(filter.narrow(declared)).toBe(declared);
    expect(createExtensionFilter({}).passesAll).toBe(true);
  });

  it("are those that the lists of the operator allow, as declared and as offered", () => {
    const filter = createExtensionFilter({ allow: ["com.example/*"] });
    const { capabilities } = filter.narrow(declared);
    expect(capabilities).toEqual({ extensions: { "com.example/one": { x: 1 } } });
    expect(filter.offered({ tools: {}, extensions: { "com.example/one": {}, "org.example/two": {} } })).toEqual({
      tools: {},
      extensions: { "com.example/one": {} },
    });
    expect(createExtensionFilter({ deny: ["*"] }).narrow(declared)).toBe(noExtensions);
  });

  it("give equal declarations the same object, so that they share lists and sessions", () => {
    const filter = extensionFilterOf({ extensions: { deny: ["com.example/one"] } });
    const other = declaredExtensionsOf({ extensions: { "org.example/two": {} }, experimental: { three: {} } });
    expect(filter.narrow(declared)).toBe(filter.narrow(declared));
    expect(filter.narrow(declared)).toBe(other);
  });

  it("decide which keys of `_meta` pass, but never those of the core", () => {
    const meta = {
      progressToken: 1,
      traceparent: "00-1",
      "io.modelcontextprotocol/logLevel": "info",
      "a.b/c": 1,
      "d.e/f": 2,
    };
    createExtensionFilter({ deny: ["a.b/*", "io.modelcontextprotocol/*"] }).narrowMeta(meta);
    expect(Object.keys(meta)).toEqual(["progressToken", "traceparent", "io.modelcontextprotocol/logLevel", "d.e/f"]);
  });

  it("decide which notifications of the upstream reach a caller", () => {
    const filter = createExtensionFilter({ deny: ["com.example/one"] });
    expect(filter.passesNotification("notifications/com.example/one.done", declared)).toBe(false);
    expect(filter.passesNotification("notifications/org.example/two", declared)).toBe(true);
  });
});
