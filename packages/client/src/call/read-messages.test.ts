import { MemoryBudget } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { answeredIdOf, readJson, readMessages, refusalOf } from "./read-messages.ts";
import { TransportError } from "./transport-error.ts";

const arrays = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const answer = (value: string) => `{"jsonrpc":"2.0","id":1,"result":{"a":${value}}}`;

describe("parsing the messages of a peer", () => {
  it("a JSON value is one message or an array of messages (D-31)", () => {
    const one = { jsonrpc: "2.0", method: "a" };
    expect(readMessages(JSON.stringify(one), "s")).toEqual([one]);
    expect(readMessages(JSON.stringify([one, one]), "s")).toEqual([one, one]);
  });

  it.each(["", "{", "[]", "7", '{"jsonrpc":"1.0","method":"a"}'])("the invalid message %s is rejected", (text) => {
    expect(() => readMessages(text, "a to s")).toThrow(/^a to s: expected a JSON-RPC message, got /);
  });

  it.each([
    [998, false],
    [999, true],
    [100_000, true],
  ])("are refused with %i more levels in the result: %s", (levels, isRefused) => {
    for (const text of [answer(arrays(levels)), answer(objects(levels))]) {
      const read = () => readMessages(text, "s");
      if (isRefused) expect(read).toThrow(expect.objectContaining({ name: "TransportError", reason: "too_deep" }));
      else expect(read()).toHaveLength(1);
    }
  });

  it("messages may have any number of members", () => {
    expect(readMessages(answer(JSON.stringify(Array(100_000).fill([{}]))), "s")).toHaveLength(1);
  });
});

it.each([
  [answer(arrays(20_000)), 1],
  ['{"id":"x","error":"boom"}', "x"],
  ['{"id":1,"method":"a"}', undefined],
  ['{"id":1', undefined],
])("the request that was to be answered is known by its id", (text, id) => {
  expect(answeredIdOf(text)).toBe(id);
});

describe("the id of a large response", () => {
  const parse = vi.spyOn(JSON, "parse");
  const large = JSON.stringify(Array(50_000).fill({}));

  it.each([
    [`{"jsonrpc":"2.0","id":7,"result":${large}}`, 7],
    [` { "id" : "x\\"y", "error":${large}}`, 'x"y'],
    [`{"result":${large},"jsonrpc":"2.0", "id": 7 }\n`, 7],
    [`{"result":${large.slice(0, -1)},{"a":1,"id":7}]}`, undefined],
    [`{"id":7,"method":"a","params":${large}}`, undefined],
    [`{"id":1.5,"result":${large}}`, undefined],
    [`{"id":${large},"result":1}`, undefined],
    [`{"id":"${"\\\\\\n".repeat(50_000)}","result":1}`, undefined],
    [large, undefined],
    ['"'.repeat(100_000), undefined],
  ])("is found without parsing the answer (case %#)", (text, id) => {
    parse.mockClear();
    expect(answeredIdOf(text)).toBe(id);
    for (const [parsed] of parse.mock.calls) expect(parsed.length).toBeLessThan(20);
  });
});

it("rejects a large text that nests too deep before it parses the text", () => {
  const parse = vi.spyOn(JSON, "parse");
  const text = answer(arrays(100_000));
  parse.mockClear();
  expect(() => readJson(text, "s")).toThrow(expect.objectContaining({ reason: "too_deep" }));
  expect(parse).not.toHaveBeenCalled();
});

describe("a nested request that is rejected", () => {
  const error = new TransportError("too_deep", "too deep");

  it("a rejected request is answered because its sender waits", () => {
    const text = `{"jsonrpc":"2.0","id":"q","method":"m","params":{"a":${arrays(20_000)}}}`;
    expect(refusalOf(text, error)).toEqual({
      ...{ jsonrpc: "2.0", id: "q" },
      error: { code: -32600, message: "invalid request: nested deeper than 1000 levels" },
    });
  });

  it.each([answer(arrays(20_000)), '{"method":"m"}', '{"id":null,"method":"m"}', "{"])(
    "is no other message",
    (text) => {
      expect(refusalOf(text, error)).toBeUndefined();
      expect(refusalOf('{"id":1,"method":"m"}', new TransportError("invalid", "x"))).toBeUndefined();
    },
  );
});

it("a text that would exceed the memory budget after parsing is rejected unparsed", () => {
  const memory = new MemoryBudget(2_000_000);
  const text = JSON.stringify(["x".repeat(100_000)]);
  expect(readJson(text, "s", memory)).toEqual(["x".repeat(100_000)]);
  const bomb = `[${Array(100_000).fill("{}").join()}]`;
  expect(() => readJson(bomb, "tools/call to s", memory)).toThrow(
    /^tools\/call to s: what came would occupy about \d+ bytes of memory, of 2000000 left$/,
  );
});
