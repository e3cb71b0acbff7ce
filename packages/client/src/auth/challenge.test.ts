import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseChallenges, readAuthChallenge } from "./challenge.ts";

/** As plain data, for comparing. */
const read = (header: string) =>
  parseChallenges(header).map(({ scheme, params }) => [scheme, Object.fromEntries(params)]);

describe("a WWW-Authenticate header with several challenges (G-20)", () => {
  test.each<[string, unknown[]]>([
    ["Bearer", [["bearer", {}]]],
    ["bearer realm=x", [["bearer", { realm: "x" }]]],
    ['Bearer realm="a, b", scope="c d"', [["bearer", { realm: "a, b", scope: "c d" }]]],
    [
      'Bearer scope="a" , resource_metadata = "https://s/x?y=z"',
      [["bearer", { scope: "a", resource_metadata: "https://s/x?y=z" }]],
    ],
    ['Bearer realm="say \\"hi\\" \\\\"', [["bearer", { realm: 'say "hi" \\' }]]],
    [
      'Basic realm="x", Bearer scope="a"',
      [
        ["basic", { realm: "x" }],
        ["bearer", { scope: "a" }],
      ],
    ],
    [
      "Negotiate, Bearer error=invalid_token",
      [
        ["negotiate", {}],
        ["bearer", { error: "invalid_token" }],
      ],
    ],
    [
      "NTLM TlRMTVNTUAA=, Bearer scope=a",
      [
        ["ntlm", {}],
        ["bearer", { scope: "a" }],
      ],
    ],
    ['Bearer SCOPE="a", scope="b"', [["bearer", { scope: "a" }]]],
    [
      ',, Bearer realm="x",, , DPoP algs="ES256 RS256"',
      [
        ["bearer", { realm: "x" }],
        ["dpop", { algs: "ES256 RS256" }],
      ],
    ],
    ['Bearer scope=""', [["bearer", { scope: "" }]]],
    ['Bearer realm="Bearer scope=evil", scope="good"', [["bearer", { realm: "Bearer scope=evil", scope: "good" }]]],
  ])("%s", (header, expected) => {
    expect(read(header)).toEqual(expected);
  });
});

test("a malformed challenge is skipped, and the following one is still parsed", () => {
  expect(read('Bearer scope="never closed')).toEqual([["bearer", {}]]);
  expect(read('Bearer scope=, error="x"')).toEqual([["bearer", { error: "x" }]]);
  expect(read('Bearer scope="a" b, error="x"')).toEqual([["bearer", { scope: "a", error: "x" }]]);
  expect(read('@@@, Bearer scope="a"')).toEqual([["bearer", { scope: "a" }]]);
  expect(read("")).toEqual([]);
});

describe("properties of the challenge parser", () => {
  const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,12}$/);
  const value = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  const params = fc.uniqueArray(fc.tuple(token, value), { selector: ([name]) => name.toLowerCase(), maxLength: 5 });

  test("every header that was built from challenges parses to the same challenges", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(token, params), { maxLength: 4 }), (challenges) => {
        const header = challenges.map(([scheme, list]) => `${scheme} ${list.map(write).join(", ")}`).join(", ");
        const expected = challenges.map(([scheme, list]) => ({
          scheme: scheme.toLowerCase(),
          params: new Map(list.map(([name, text]) => [name.toLowerCase(), text])),
        }));
        expect(parseChallenges(header)).toEqual(expected);
      }),
    );
  });

  test("the parser never throws or hangs", () => {
    const bits = fc.array(fc.constantFrom("Bearer", '"', "\\", "=", ",", " ", "\t", "a", "scope", "é"), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(bits, (parts) => {
        expect(Array.isArray(parseChallenges(parts.join("")))).toBe(true);
      }),
    );
    const long = 'a="\\'.repeat(50_000);
    expect(parseChallenges(long).length).toBeLessThanOrEqual(long.length);
  });

  function write([name, text]: readonly [string, string]): string {
    return `${name}="${text.replaceAll(/["\\]/g, "\\$&")}"`;
  }
});

test("authorization parameters are read from Bearer and DPoP challenges only", () => {
  const header =
    'Basic scope="no", DPoP algs="ES256", resource_metadata="https://s/m", Bearer scope="a  b a", error="insufficient_scope"';
  expect(readAuthChallenge(header)).toEqual({
    resourceMetadata: "https://s/m",
    scopes: ["a", "b"],
    error: "insufficient_scope",
    offersDpop: true,
    requiresDpop: false,
  });
  expect(readAuthChallenge('DPoP scope=" "')).toMatchObject({
    scopes: undefined,
    offersDpop: true,
    requiresDpop: true,
  });
  expect(readAuthChallenge(undefined)).toMatchObject({ resourceMetadata: undefined, requiresDpop: false });
});
