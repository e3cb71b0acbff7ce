import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Serialization, Style } from "../operations/operation.ts";
import { toHeaderText, toPairs, toPathText } from "./serialize.ts";

const list = ["blue", "black", "brown"];
const object = { R: 100, G: 200, B: 150 };
const as = (style: Style, explode: boolean): Serialization => ({ style, explode, allowReserved: false });
const query = (name: string, value: unknown, serialization: Serialization) =>
  toPairs(name, value, serialization)
    .map((pair) => pair.join("="))
    .join("&");

describe("the examples of the OpenAPI specification", () => {
  it.each<[Style, boolean, string, string, string]>([
    ["matrix", false, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
    ["matrix", true, ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
    ["label", false, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
    ["label", true, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
    ["simple", false, "blue", "blue,black,brown", "R,100,G,200,B,150"],
    ["simple", true, "blue", "blue,black,brown", "R=100,G=200,B=150"],
  ])("the style %s with explode %s in a path", (style, explode, text, array, members) => {
    const write = (value: unknown) => toPathText("color", value, as(style, explode));
    expect([write("blue"), write(list), write(object)]).toEqual([text, array, members]);
  });

  it.each<[Style, boolean, string, string]>([
    ["form", false, "color=blue,black,brown", "color=R,100,G,200,B,150"],
    ["form", true, "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
    ["spaceDelimited", false, "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
    ["pipeDelimited", false, "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
    ["deepObject", true, "color=blue&color=black&color=brown", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
  ])("the style %s with explode %s in a query", (style, explode, array, members) => {
    expect(query("color", list, as(style, explode))).toBe(array);
    expect(query("color", object, as(style, explode))).toBe(members);
  });

  it("empty text, empty arrays and JSON in a query", () => {
    expect(query("color", "", as("form", true))).toBe("color=");
    expect(query("color", [], as("form", true))).toBe("");
    expect(query("color", "a", as("json", false))).toBe("color=%22a%22");
    expect(toPathText("color", "", as("matrix", false))).toBe(";color");
    expect(toHeaderText(["a b", 1], as("simple", false))).toBe("a b,1");
  });

  it("allowReserved leaves reserved characters, except those that would end the value", () => {
    const reserved = ":/?#[]@!$&'()*+,;=";
    expect(query("q", reserved, { ...as("form", true), allowReserved: true })).toBe("q=:/?%23%5B%5D@!$%26'()*%2B,%3B=");
  });
});

describe("what a server reads from a serialized value", () => {
  const text = fc.string({ unit: "binary", maxLength: 12 });
  const split = (part: string, separator: string) => part.split(separator).map(decodeURIComponent);

  it("form with explode gives a server the same texts", () => {
    fc.assert(
      fc.property(text, fc.array(text), (name, values) => {
        const read = new URL(`http://x/?${query(name, values, as("form", true))}`).searchParams;
        expect([...read]).toEqual(values.map((value) => [name, value]));
      }),
    );
  });

  it("form without explode, spaceDelimited and pipeDelimited give a server the same texts", () => {
    const styles = fc.constantFrom<[Style, string]>(["form", ","], ["spaceDelimited", "%20"], ["pipeDelimited", "%7C"]);
    // A delimiter inside a value of these two styles cannot be told apart in OpenAPI.
    const values = fc.array(
      text.filter((value) => !/[ |]/.test(value)),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(styles, values, ([style, separator], items) => {
        const [[, value = ""] = []] = toPairs("a", items, as(style, false));
        expect(split(value, separator)).toEqual(items);
      }),
    );
  });

  it("deepObject gives a server the same members", () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (members) => {
        const read = new URL(`http://x/?${query("a", members, as("deepObject", true))}`).searchParams;
        expect([...read]).toEqual(Object.entries(members).map(([key, value]) => [`a[${key}]`, value]));
      }),
    );
  });

  it("every style of a path gives a server the same texts, in one segment", () => {
    const styles = fc.constantFrom<[Style, string, string]>(
      ["simple", "", ","],
      ["label", ".", ","],
      ["matrix", ";a=", ","],
    );
    fc.assert(
      fc.property(styles, fc.array(text.filter(Boolean), { minLength: 1 }), ([style, start, separator], items) => {
        const written = toPathText("a", items, as(style, false));
        expect(written).toMatch(/^[A-Za-z0-9_.~%,;=-]*$/);
        expect(split(written.slice(start.length), separator)).toEqual(items);
      }),
    );
  });
});
