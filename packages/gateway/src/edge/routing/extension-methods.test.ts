import { isExtensionMethod } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { ownersOfMethod } from "./extension-methods.ts";

const offering = (upstream: string, ...ids: string[]) => ({
  upstream,
  offered: { extensions: Object.fromEntries(ids.map((id) => [id, {}])) },
});

describe("methods of extensions", () => {
  it.each([
    "tools/forget",
    "logging/setLevel",
    "initialize",
    "ping",
    "resources/subscribe",
    "tasks/list",
    "rpc.x",
    "toString",
  ])("%s is no method of an extension and never passed on", (name) => expect(isExtensionMethod(name)).toBe(false));

  it("passes on methods of other namespaces", () => {
    expect(isExtensionMethod("skills/list")).toBe(true);
    expect(isExtensionMethod("com.example/custom.do")).toBe(true);
  });

  it("leads a method to the server whose extension claims it by its id or by its namespace", () => {
    const offerings = [
      offering("a", "com.example/custom"),
      offering("b", "io.modelcontextprotocol/skills"),
      offering("c"),
    ];
    expect(ownersOfMethod("com.example/custom.do", offerings)).toEqual(["a"]);
    expect(ownersOfMethod("skills/list", offerings)).toEqual(["b"]);
    expect(ownersOfMethod("com.example/customers.do", offerings)).toEqual(["a", "b"]);
  });

  it("leads a method that no extension claims to every server with extensions", () => {
    expect(ownersOfMethod("other/do", [offering("a", "x.y/z"), offering("b")])).toEqual(["a"]);
    expect(ownersOfMethod("other/do", [offering("b")])).toEqual([]);
  });
});
