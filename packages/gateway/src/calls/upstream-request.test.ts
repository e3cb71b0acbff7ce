import { metaKey } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { describe, expect, it } from "vitest";
import { requestOf } from "../testing/fakes.ts";
import { toRelayed, toUpstreamRequest } from "./upstream-request.ts";

const { traits } = revisionNamed("2026-07-28");
const modern = { revision: "2026-07-28", traits };
const options = { connection: modern, params: { name: "own" }, keepsClientInfo: false, mayMakeTask: false };
const caller = { name: "caller", version: "1" };

describe("requests as the upstream receives them", () => {
  it("sends the upstream its own names and the caller's other params", () => {
    const { params } = toUpstreamRequest(requestOf("tools/call", { name: "up__own", arguments: { x: 1 } }), options);
    expect(params).toMatchObject({ name: "own", arguments: { x: 1 } });
  });

  it("sends the request in the gateway's name unless the operator forwards the caller's (J-56)", () => {
    const request = requestOf("tools/call", {}, { meta: { [metaKey.clientInfo]: caller } });
    expect(toUpstreamRequest(request, options).params._meta[metaKey.clientInfo]).toMatchObject({
      name: "lethe-gateway",
    });
    const kept = toUpstreamRequest(request, { ...options, keepsClientInfo: true });
    expect(kept.params._meta[metaKey.clientInfo]).toEqual(caller);
  });

  it("forwards log level, trace context and unknown _meta keys (A-32) and removes those of the gateway", () => {
    const meta = { [metaKey.logLevel]: "info", traceparent: "00-1", "x/y": 1, "lethe/session": "h" };
    for (const connection of [modern, { revision: "2025-11-25", traits: revisionNamed("2025-11-25").traits }]) {
      const { _meta } = toUpstreamRequest(requestOf("tools/call", {}, { meta }), { ...options, connection }).params;
      expect(_meta).toMatchObject({ [metaKey.logLevel]: "info", traceparent: "00-1", "x/y": 1 });
      expect(_meta).not.toHaveProperty(["lethe/session"]);
    }
  });

  it("sends the protocol version that the upstream speaks", () => {
    const connection = { revision: "2027-01-01", traits };
    const { _meta } = toUpstreamRequest(requestOf("tools/call"), { ...options, connection }).params;
    expect(_meta[metaKey.protocolVersion]).toBe("2027-01-01");
  });
});

describe("capabilities sent to an upstream", () => {
  it("declares tasks only to an upstream that supports them, and other extensions of the caller to every upstream (A-27)", () => {
    const extensions = { "io.modelcontextprotocol/tasks": {}, "x/y": { z: 1 } };
    expect(toRelayed({ extensions }, true)).toEqual({ extensions });
    expect(toRelayed({ extensions }, false)).toEqual({ extensions: { "x/y": { z: 1 } } });
  });

  it("declares the caller's capabilities that the gateway can forward (J-56, J-61)", () => {
    const declared = {
      elicitation: {},
      sampling: { tools: {}, other: {} },
      extensions: { "io.modelcontextprotocol/tasks": {} },
      experimental: { x: {} },
    };
    expect(toRelayed(declared, false)).toEqual({ elicitation: {}, sampling: { tools: {} }, experimental: { x: {} } });
    expect(toRelayed({}, true)).toEqual({});
  });
});
