import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorCode } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { type ModernRequest, parseEnvelope } from "../meta/envelope.ts";
import { metaKey, modelRevision } from "../meta/keys.ts";
import { targetNameOf } from "../model/methods.ts";
import { checkMethodHeaders, checkVersionHeader, type HeaderReader, toMirroredHeaders } from "./mirrored-headers.ts";

function request(method: string, params: JsonObject = {}): ModernRequest {
  const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {} };
  return parseEnvelope({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
}

function reader(headers: Record<string, string>): HeaderReader {
  return (name) => headers[name];
}

const mismatch = expect.objectContaining({ code: errorCode.headerMismatch });

describe("checkVersionHeader", () => {
  const check = (value?: string) => () =>
    checkVersionHeader(request("tools/list"), reader(value === undefined ? {} : { "mcp-protocol-version": value }));

  it("a version header that repeats the body passes, also with whitespace around it (B-30)", () => {
    expect(check(modelRevision)).not.toThrow();
    expect(check(` ${modelRevision}\t`)).not.toThrow();
  });

  it("a version header that differs from the body is a mismatch, regardless of supported versions (B-32)", () => {
    expect(check("2025-11-25")).toThrow(mismatch);
    expect(check("2025-11-25")).toThrow(/must be "2026-07-28" as in the body, got "2025-11-25"/);
  });

  it("a missing version header is a mismatch (B-33)", () => {
    expect(check()).toThrow(mismatch);
    expect(check()).toThrow("mcp-protocol-version is missing");
  });
});

describe("checkMethodHeaders", () => {
  const call = request("tools/call", { name: "add", arguments: {} });
  const check =
    (headers: Record<string, string>, of: ModernRequest = call) =>
    () =>
      checkMethodHeaders(of, reader(headers));

  it("headers that repeat the body pass (B-31)", () => {
    expect(check({ "mcp-method": "tools/call", "mcp-name": "add" })).not.toThrow();
    expect(check({ "mcp-method": " tools/call", "mcp-name": "add " })).not.toThrow();
  });

  it.each([
    ["no method", { "mcp-name": "add" }],
    ["another method", { "mcp-method": "tools/list", "mcp-name": "add" }],
    ["the method in capitals", { "mcp-method": "TOOLS/CALL", "mcp-name": "add" }],
    ["the method in a sentinel", { "mcp-method": "=?base64?dG9vbHMvY2FsbA==?=", "mcp-name": "add" }],
    ["no name", { "mcp-method": "tools/call" }],
    ["another name", { "mcp-method": "tools/call", "mcp-name": "sub" }],
    ["the name twice", { "mcp-method": "tools/call", "mcp-name": "add, add" }],
    ["a name with a no-break space", { "mcp-method": "tools/call", "mcp-name": "add\u00a0" }],
    ["a name in broken base64", { "mcp-method": "tools/call", "mcp-name": "=?base64?YWRk=?=" }],
  ])("%s is a mismatch (B-30, B-31, B-37, B-63, J-40, J-42)", (_what, headers) => {
    expect(check(headers as Record<string, string>)).toThrow(mismatch);
  });

  it("a name in a sentinel is decoded before it is compared (B-37)", () => {
    expect(check({ "mcp-method": "tools/call", "mcp-name": "=?base64?YWRk?=" })).not.toThrow();
  });

  it("raw bytes above ASCII never match, even when they look like the body (J-41)", () => {
    const of = request("prompts/get", { name: "é" });
    expect(check({ "mcp-method": "prompts/get", "mcp-name": "é" }, of)).toThrow(mismatch);
  });

  it("a sentinel does not match a body that spells the same sentinel (B-61)", () => {
    const of = request("prompts/get", { name: "=?base64?YWRk?=" });
    expect(check({ "mcp-method": "prompts/get", "mcp-name": "=?base64?YWRk?=" }, of)).toThrow(mismatch);
  });

  it("params without a name pass the header check: the parser of the method rejects them", () => {
    expect(check({ "mcp-method": "tools/call", "mcp-name": "x" }, request("tools/call", { name: 7 }))).not.toThrow();
  });

  it("a method without a mirrored name needs no Mcp-Name", () => {
    expect(check({ "mcp-method": "tools/list" }, request("tools/list", { name: "x" }))).not.toThrow();
  });
});

it.each([
  ["tools/call", { name: "a" }, "a"],
  ["prompts/get", { name: "a" }, "a"],
  ["resources/read", { uri: "file:///a" }, "file:///a"],
  ["tasks/get", { taskId: "t" }, "t"],
  ["tasks/update", { taskId: "t" }, "t"],
  ["tasks/cancel", { taskId: "t" }, "t"],
  ["tasks/list", { taskId: "t" }, undefined],
  ["tools/call", { name: 1 }, undefined],
  ["tools/call", {}, undefined],
])("%s with %j mirrors %s (B.3)", (method, params, name) => {
  expect(targetNameOf(method, params)).toBe(name);
});

describe("toMirroredHeaders", () => {
  it("a request without a mirrored name has two headers (B-76)", () => {
    expect(toMirroredHeaders(request("server/discover"))).toEqual({
      "mcp-protocol-version": modelRevision,
      "mcp-method": "server/discover",
    });
  });

  it("headers that a client writes pass the check of the server for any name (B-65)", () => {
    const names = fc.oneof(fc.string(), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.constantFrom("tools/call", "resources/read", "tasks/get"), names, (method, name) => {
        const sent = request(method, { name, uri: name, taskId: name });
        const headers = new Headers(toMirroredHeaders(sent));
        const read: HeaderReader = (header) => headers.get(header) ?? undefined;
        checkVersionHeader(sent, read);
        checkMethodHeaders(sent, read);
      }),
    );
  });

  it("a header for one name never passes for another (B-31)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, other) => {
        fc.pre(name !== other);
        const headers = reader(toMirroredHeaders(request("tools/call", { name })));
        expect(() => checkMethodHeaders(request("tools/call", { name: other }), headers)).toThrow(mismatch);
      }),
    );
  });
});
