import { describe, expect, it } from "vitest";
import { checkDeclared, declaredExtensionsOf, maxDeclared, noExtensions } from "./declared-extensions.ts";

const ui = { mimeTypes: ["text/html;profile=mcp-app"] };

describe("the extensions that a caller declares", () => {
  it("passes on extensions and experiments, but none that the gateway handles itself", () => {
    const extensions = {
      "io.modelcontextprotocol/ui": ui,
      "io.modelcontextprotocol/tasks": {},
      "io.modelcontextprotocol/enterprise-managed-authorization": {},
    };
    const { capabilities } = declaredExtensionsOf({ extensions, experimental: { tasks: {}, x: { y: 1 } } });
    expect(capabilities).toEqual({
      extensions: { "io.modelcontextprotocol/ui": ui },
      experimental: { x: { y: 1 } },
    });
  });

  it("gives equal declarations the same object, regardless of the order of members", () => {
    const one = declaredExtensionsOf({ extensions: { "a.b/c": { x: 1, y: [{ z: 1 }] }, "d.e/f": {} } });
    const other = declaredExtensionsOf({ extensions: { "d.e/f": {}, "a.b/c": { y: [{ z: 1 }], x: 1 } } });
    expect(other).toBe(one);
    expect(declaredExtensionsOf({ extensions: { "a.b/c": { x: 2 } } }).key).not.toBe(one.key);
  });

  it("declares nothing for names that are no extension ids, such as __proto__", () => {
    const extensions = JSON.parse('{"__proto__": {"polluted": {}}, "constructor": {}, "plain": {}, "a.b/c": 1}');
    expect(declaredExtensionsOf({ extensions })).toBe(noExtensions);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("rejects a declaration with too many extensions or too long settings and names the limits", () => {
    const many = Object.fromEntries(Array.from({ length: maxDeclared + 1 }, (_, index) => [`a.b/c${index}`, {}]));
    const long = { "a.b/c": { text: "x".repeat(20_000) } };
    for (const extensions of [many, long]) {
      expect(() => checkDeclared({ extensions })).toThrow("expected at most 64 extensions, 64 experiments and 16384");
      expect(declaredExtensionsOf({ extensions })).toBe(noExtensions);
    }
    expect(() => checkDeclared({ extensions: { "a.b/c": {} } })).not.toThrow();
  });

  it("accepts a declaration of exactly 16,384 characters", () => {
    const ofLength = (length: number) => ({ extensions: { "a.b/c": { text: "x".repeat(length) } } });
    const rest = JSON.stringify([[["a.b/c", { text: "" }]], []]).length;
    expect(() => checkDeclared(ofLength(16_384 - rest))).not.toThrow();
    expect(() => checkDeclared(ofLength(16_385 - rest))).toThrow("too many client capabilities");
  });

  it("rejects 100,000 extensions, and 100,000 members of one, without reading all of them", () => {
    let reads = 0;
    const counted = (names: (index: number) => string) => {
      const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [names(index), {}]));
      return new Proxy(members, {
        get(target, name: string) {
          reads += 1;
          return target[name];
        },
      });
    };
    expect(() => checkDeclared({ extensions: counted((index) => `a.b/c${index}`) })).toThrow("at most 64 extensions");
    expect(() => checkDeclared({ extensions: { "a.b/c": counted(String) } })).toThrow("16384 characters");
    expect(reads).toBeLessThan(10_000);
  });
});
