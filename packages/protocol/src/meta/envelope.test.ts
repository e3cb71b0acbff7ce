// The request envelope (A.2): required, optional and malformed members.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorCode } from "../jsonrpc/error.ts";
import type { JsonObject, JsonRpcRequest } from "../jsonrpc/message.ts";
import { requireSupportedVersion } from "../revisions/find-revision.ts";
import { clientInfoOf, hasModernMeta, parseEnvelope, protocolVersionOf } from "./envelope.ts";
import { metaKey, modelRevision } from "./keys.ts";
import { traceContextOf } from "./trace-context.ts";

const jsonObject = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
const complete = {
  [metaKey.protocolVersion]: modelRevision,
  [metaKey.clientCapabilities]: { elicitation: {} },
} as const;

function requestOf(_meta: unknown, params: object = {}): JsonRpcRequest {
  return { jsonrpc: "2.0", id: 1, method: "tools/list", params: { ...params, _meta } };
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return expect.unreachable("nothing thrown");
}

describe("parseEnvelope", () => {
  it("parseEnvelope returns the request itself with all unknown members (A-20, A-32)", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, jsonObject, fc.string(), (more, params, capabilities, version) => {
        const meta = { ...more, [metaKey.protocolVersion]: version, [metaKey.clientCapabilities]: capabilities };
        const request = requestOf(meta, params);
        const before = JSON.stringify(request);
        expect(parseEnvelope(request)).toBe(request);
        expect(JSON.stringify(request)).toBe(before);
      }),
    );
  });

  it("parseEnvelope rejects any other value with -32602 (A-20)", () => {
    const broken = fc.oneof(
      fc.jsonValue(),
      fc
        .record({ [metaKey.protocolVersion]: fc.jsonValue(), [metaKey.clientCapabilities]: fc.jsonValue() })
        .filter((meta) => typeof meta[metaKey.protocolVersion] !== "string"),
    );
    fc.assert(
      fc.property(broken, (meta) => {
        expect(errorOf(() => parseEnvelope(requestOf(meta)))).toMatchObject({
          name: "McpError",
          code: errorCode.invalidParams,
        });
      }),
    );
  });

  it.each([
    [undefined, "params._meta must be an object, got nothing"],
    [[], "params._meta must be an object, got an array"],
    [{}, `params._meta["${metaKey.protocolVersion}"] must be a string, got nothing`],
    [
      { ...complete, [metaKey.protocolVersion]: 1 },
      `params._meta["${metaKey.protocolVersion}"] must be a string, got a number`,
    ],
    [
      { ...complete, [metaKey.clientCapabilities]: null },
      `params._meta["${metaKey.clientCapabilities}"] must be an object, got null`,
    ],
  ])("parseEnvelope names the member that %j lacks (A-20)", (meta, message) => {
    expect(errorOf(() => parseEnvelope(requestOf(meta)))).toMatchObject({ message });
  });

  it("a request without params has no envelope", () => {
    expect(errorOf(() => parseEnvelope({ jsonrpc: "2.0", id: 1, method: "x" }))).toMatchObject({
      code: errorCode.invalidParams,
    });
  });
});

describe("an envelope", () => {
  it("hasModernMeta distinguishes requests by the version in the envelope alone (D.4)", () => {
    fc.assert(
      fc.property(fc.option(jsonObject, { nil: undefined }), (params) => {
        const request = { jsonrpc: "2.0" as const, id: 1, method: "x", ...(params && { params }) };
        expect(hasModernMeta(request)).toBe(false);
      }),
    );
    expect(hasModernMeta(requestOf({ [metaKey.protocolVersion]: null }))).toBe(true);
    expect(hasModernMeta(requestOf({ progressToken: 1 }))).toBe(false);
  });

  it("requireSupportedVersion answers an unknown revision with the supported ones (D-1, A-44)", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (version, supported) => {
        const request = parseEnvelope(requestOf({ ...complete, [metaKey.protocolVersion]: version }));
        if (supported.includes(protocolVersionOf(request))) return requireSupportedVersion(request, supported);
        expect(errorOf(() => requireSupportedVersion(request, supported))).toMatchObject({
          code: errorCode.unsupportedProtocolVersion,
          data: { supported, requested: version },
        });
      }),
    );
  });

  it("malformed display data in an envelope counts as absent (A-21, H-2)", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (info, trace) => {
        const meta = { ...complete, [metaKey.clientInfo]: info, traceparent: trace, tracestate: trace, baggage: trace };
        const request = parseEnvelope(requestOf(meta));
        const known = clientInfoOf(request);
        if (known !== undefined) expect([typeof known.name, typeof known.version]).toEqual(["string", "string"]);
        for (const member of Object.values(traceContextOf(request.params._meta))) expect(typeof member).toBe("string");
      }),
    );
  });
});
