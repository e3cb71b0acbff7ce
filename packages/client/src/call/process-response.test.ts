import { McpError } from "@lethe/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Expectation, processHttpReply, processStreamMessage } from "./process-response.ts";
import { TransportError } from "./transport-error.ts";

const call: Expectation = { server: "http://s/mcp", method: "tools/call", id: 1 };
const list: Expectation = { server: "http://s/mcp", method: "tools/list", id: 1 };

function reply(body: unknown, status = 200, contentType: string | undefined = "application/json") {
  return { status, contentType, text: typeof body === "string" ? body : JSON.stringify(body) };
}

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

const result = (value: object, id: unknown = 1) => ({ jsonrpc: "2.0", id, result: value });
const error = (code: number, id: unknown = 1) => ({ jsonrpc: "2.0", id, error: { code, message: "m", data: 7 } });

test("a result under 200 is the result", () => {
  const body = { resultType: "complete", content: [] };
  expect(processHttpReply(reply(result(body), 200, "application/json; charset=utf-8"), call)).toEqual(body);
});

test("an absent result type means complete (A-7)", () => {
  expect(processHttpReply(reply(result({ tools: [] })), list)).toEqual({ tools: [], resultType: "complete" });
});

test.each([200, 400, 404, 500])("a JSON-RPC error under status %i is the server's error (A-48)", (status) => {
  const caught = thrown(() => processHttpReply(reply(error(-32601), status), call));
  expect(caught).toBeInstanceOf(McpError);
  expect(caught).toMatchObject({ code: -32601, message: "m", data: 7 });
});

test.each([null, undefined])("an error whose id is %s belongs to our request (J-23)", (id) => {
  expect(thrown(() => processHttpReply(reply({ ...error(-32700), id }, 400), call))).toMatchObject({ code: -32700 });
});

describe("a response that is not usable is a TransportError with the server, the method and an excerpt (B-79)", () => {
  const cases: [string, Parameters<typeof processHttpReply>[0], string, RegExp][] = [
    ["another id", reply(result({}, 2)), "invalid", /id 1, got id "2"/],
    ["an id of another type", reply(result({}, "1")), "invalid", /response with id 1/],
    ["an error with another id", reply(error(-32601, 9)), "invalid", /got id "9"/],
    ["garbage", reply("<html>"), "invalid", /got status 200, application\/json, "<html>"/],
    ["an empty body", reply(""), "invalid", /nothing/],
    ["a JSON array", reply([result({})]), "invalid", /JSON-RPC response/],
    ["a request", reply({ jsonrpc: "2.0", id: 1, method: "ping" }), "invalid", /JSON-RPC response/],
    ["another content type", reply(result({}), 200, "text/html"), "invalid", /text\/html/],
    ["a result under 202", reply(result({}), 202), "invalid", /status 202/],
    ["a result under 500", reply(result({}), 500), "status", /status 500/],
    ["a proxy's page", reply("bad gateway", 502, "text/plain"), "status", /502, text\/plain, "bad gateway"/],
    ["a 401", reply("", 401), "unauthorized", /refused tools\/call: status 401/],
    ["a 401 with a JSON-RPC error (G-9)", reply(error(-32600, 1), 401), "unauthorized", /refused .*: status 401, "/],
  ];
  test.each(cases)("%s", (_name, answer, reason, words) => {
    const caught = thrown(() => processHttpReply(answer, call)) as TransportError;
    expect(caught).toBeInstanceOf(TransportError);
    expect(caught.reason).toBe(reason);
    expect(caught.message).toMatch(words);
    expect(caught.message).toContain("http://s/mcp");
    expect(caught.message).toContain("tools/call");
  });
});

test("a method of an extension may have a result type of its own, but none that the core defines for others", () => {
  const custom = { ...call, method: "x.y/z.do" };
  expect(processHttpReply(reply(result({ resultType: "sketch" })), custom)).toEqual({ resultType: "sketch" });
  for (const resultType of ["task", "input_required"]) {
    expect(thrown(() => processHttpReply(reply(result({ resultType })), custom))).toMatchObject({ reason: "invalid" });
  }
});

test("an unknown result type makes the response invalid (A-7)", () => {
  for (const resultType of ["task", "", 5, null]) {
    expect(thrown(() => processHttpReply(reply(result({ resultType })), call))).toMatchObject({ reason: "invalid" });
  }
});

test("an extension's result type is accepted if the extension was declared (A-6)", () => {
  const expected = { ...call, extraResultTypes: ["task"] };
  expect(processHttpReply(reply(result({ resultType: "task" })), expected)).toEqual({ resultType: "task" });
});

test("input_required is accepted for three methods only (E-20)", () => {
  const question = reply(result({ resultType: "input_required", requestState: "s" }));
  for (const method of ["tools/call", "prompts/get", "resources/read"]) {
    expect(processHttpReply(question, { ...call, method }).resultType).toBe("input_required");
  }
  expect(thrown(() => processHttpReply(question, list))).toMatchObject({ reason: "invalid" });
});

test.each([{}, { requestState: 5 }, { inputRequests: [] }])("input_required with %j is invalid (E-21)", (members) => {
  const answer = reply(result({ resultType: "input_required", ...members }));
  expect(thrown(() => processHttpReply(answer, call))).toMatchObject({ reason: "invalid" });
});

test("a server's request in a stream is dropped, a notification is forwarded", () => {
  expect(processStreamMessage('{"jsonrpc":"2.0","id":1,"method":"ping"}', call)).toBeUndefined();
  const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };
  expect(processStreamMessage(JSON.stringify(progress), call)).toEqual(progress);
});

test("every response is a result, an McpError or a TransportError", () => {
  const anything = fc.record({
    status: fc.integer({ min: 200, max: 599 }),
    contentType: fc.option(fc.constantFrom("application/json", "text/plain"), { nil: undefined }),
    text: fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify(result(value as object))),
    ),
  });
  fc.assert(
    fc.property(anything, (answer) => {
      try {
        expect(typeof processHttpReply(answer, call).resultType).toBe("string");
      } catch (caught) {
        expect(caught instanceof McpError || caught instanceof TransportError).toBe(true);
      }
    }),
  );
});
