import { metaKey } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { describe, expect, it } from "vitest";
import { requestOf } from "../testing/fakes.ts";
import { toRelayed, toUpstreamRequest } from "./upstream-request.ts";

const { traits } = revisionNamed("2026-07-28");
const modern = { revision: "2026-07-28", traits };
const options = { connection: modern, params: { name: "own" }, keepsClientInfo: false, mayMakeTask: false };
const caller = { name: "caller", version: "1" };

describe("what an upstream sees of a request", () => {
  it("has its own names, and the caller's other params", () => {
    const { params } = toUpstreamRequest(requestOf("tools/call", { name: "up__own", arguments: { x: 1 } }), options);
    expect(params).toMatchObject({ name: "own", arguments: { x: 1 } });
  });

  it("is in the gateway's name, unless the operator lets the caller's through (J-56)", () => {
    const request = requestOf("tools/call", {}, { meta: { [metaKey.clientInfo]: caller } });
    expect(toUpstreamRequest(request, options).params._meta[metaKey.clientInfo]).toMatchObject({
      name: "lethe-gateway",
    });
    const kept = toUpstreamRequest(request, { ...options, keepsClientInfo: true });
    expect(kept.params._meta[metaKey.clientInfo]).toEqual(caller);
  });

  it("keeps log level, trace context and keys that nobody here knows (A-32), and loses those of the gateway", () => {
    const meta = { [metaKey.logLevel]: "info", traceparent: "00-1", "x/y": 1, "lethe/session": "h" };
    for (const connection of [modern, { revision: "2025-11-25", traits: revisionNamed("2025-11-25").traits }]) {
      const { _meta } = toUpstreamRequest(requestOf("tools/call", {}, { meta }), { ...options, connection }).params;
      expect(_meta).toMatchObject({ [metaKey.logLevel]: "info", traceparent: "00-1", "x/y": 1 });
      expect(_meta).not.toHaveProperty(["lethe/session"]);
    }
  });

  it("names the revision that the upstream speaks", () => {
    const connection = { revision: "2027-01-01", traits };
    const { _meta } = toUpstreamRequest(requestOf("tools/call"), { ...options, connection }).params;
    expect(_meta[metaKey.protocolVersion]).toBe("2027-01-01");
  });
});

describe("capabilities", () => {
  it("have tasks for an upstream that has them, and no other extension (A-27)", () => {
    const extensions = { "io.modelcontextprotocol/tasks": {}, "x/y": {} };
    expect(toRelayed({ extensions }, true)).toEqual({ extensions: { "io.modelcontextprotocol/tasks": {} } });
    expect(toRelayed({ extensions }, false)).toEqual({});
  });

  it("are those that the caller declared and the gateway can relay (J-56, J-61)", () => {
    const declared = {
      elicitation: {},
      sampling: { tools: {}, other: {} },
      extensions: { "io.modelcontextprotocol/tasks": {} },
      experimental: { x: {} },
    };
    expect(toRelayed(declared, false)).toEqual({ elicitation: {}, sampling: { tools: {} } });
    expect(toRelayed({}, true)).toEqual({});
  });
});
