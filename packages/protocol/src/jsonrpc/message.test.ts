// Parsing of JSON-RPC messages from untrusted peers (A.1).
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorCode } from "./error.ts";
import { isNotification, isRequest, isResponse, type JsonRpcMessage, parseJson, parseMessage } from "./message.ts";

const invalid = expect.objectContaining({ name: "McpError", code: errorCode.invalidRequest });

function outcomeOf(value: unknown): unknown {
  try {
    return parseMessage(value);
  } catch (error) {
    return error;
  }
}

/** Mostly like a message, and hardly ever one. */
const nearly = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 4, arbitrary: fc.constant("2.0") }, fc.jsonValue()),
    id: fc.oneof(fc.string(), fc.integer(), fc.double(), fc.jsonValue()),
    method: fc.oneof(fc.string(), fc.jsonValue()),
    params: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    result: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.jsonValue()),
  },
  { requiredKeys: ["jsonrpc"] },
);

describe("parseMessage", () => {
  it("parseMessage recognises exactly one kind of message or rejects the value (A-1 to A-5)", () => {
    fc.assert(
      fc.property(fc.oneof(nearly, fc.jsonValue()), (value) => {
        const outcome = outcomeOf(value);
        if (outcome instanceof Error) {
          expect(outcome).toEqual(invalid);
          return;
        }
        const message = outcome as JsonRpcMessage;
        expect([isRequest, isNotification, isResponse].filter((is) => is(message))).toHaveLength(1);
        // An error response whose id could not be read loses it, params that are null are left out; everything else is
        // the value itself.
        const { id, params } = value as { id?: unknown; params?: unknown };
        const isCopied = isResponse(message) ? id === undefined || id === null : params === null;
        if (!isCopied) expect(message).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([0, -1, "", "a", 2 ** 53])("%j is a valid request id (A-2)", (id) => {
    const request = { jsonrpc: "2.0", id, method: "x" };
    expect(isRequest(parseMessage(request))).toBe(true);
  });

  it.each([null, 1.5, true, {}, []])("%j is not a valid request id (A-2)", (id) => {
    expect(outcomeOf({ jsonrpc: "2.0", id, method: "x" })).toEqual(invalid);
  });

  it("parseMessage accepts an error response without an id (A-5)", () => {
    const error = { code: -32700, message: "parse error" };
    expect(parseMessage({ jsonrpc: "2.0", id: null, error })).toEqual({ jsonrpc: "2.0", error });
  });

  it.each([
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
  ])("reads null params of $method as no params (I-36)", (message) => {
    expect(parseMessage({ ...message, params: null })).toEqual(message);
  });

  it("parseMessage names the expected and the given form in its errors", () => {
    expect(outcomeOf([])).toMatchObject({ message: "invalid request: one JSON object expected, got an array" });
    expect(outcomeOf({ jsonrpc: "2.0", id: 1, method: "x", params: [] })).toMatchObject({
      message: 'invalid request: member "params" must be an object, got an array',
    });
  });
});

describe("parseJson", () => {
  it("parseJson reads JSON and rejects any other text with -32700", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(() => parseJson("{")).toThrow("parse error: the message is not JSON");
    expect(() => parseJson("\ufeff{}")).toThrow("not JSON, because it begins with a byte order mark");
  });
});
