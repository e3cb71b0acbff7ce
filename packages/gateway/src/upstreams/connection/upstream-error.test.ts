import { TransportError } from "@lethe/client";
import { McpError, missingClientCapability, unsupportedProtocolVersion } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { isOutage, toCallerError } from "./upstream-error.ts";

describe("errors of failed requests as callers see them", () => {
  it.each([
    ["lost", "lost"],
    ["unreachable", "unavailable"],
    ["timeout", "timeout"],
    ["unauthorized", "unauthorized"],
    ["invalid", "invalid"],
    ["busy", "busy"],
    ["no_session", "no_session"],
  ] as const)("names the upstream and the kind of failure without its details (%s)", (reason, expected) => {
    const error = toCallerError("up", new TransportError(reason, "secret path /etc"), {});
    expect(error).toMatchObject({ code: -32603, data: { reason: expected, upstream: "up" } });
    expect(error.message).not.toContain("secret");
    expect(error.cause).toBeInstanceOf(TransportError);
  });

  it.each([
    [429, "busy"],
    [503, "unavailable"],
    [500, "lost"],
    [502, "lost"],
    [504, "lost"],
    [404, "unavailable"],
  ])("tells the caller of status %i whether the request may have been carried out", (status, reason) => {
    const error = toCallerError("up", new TransportError("status", "s", { status, retryAfterMs: 7_000 }), {});
    expect(error.data).toEqual({ reason, upstream: "up", retryAfterMs: 7_000 });
    expect(error.message.endsWith("may have been carried out")).toBe(reason === "lost");
  });

  it("names the relevant settings and a retry time when a call with input requests waited too long", () => {
    const error = toCallerError("up", new TransportError("busy", "x", { retryAfterMs: 10_000 }), {});
    expect(error.data).toEqual({ reason: "busy", upstream: "up", retryAfterMs: 10_000 });
    expect(error.message).toMatch(/elicits.*sessions\.turnWaitMs.*sessions\.maxShared/);
  });

  it("says what to change when the upstream sends input requests without a session that accepts answers", () => {
    const { message } = toCallerError("up", new TransportError("no_session", "x"), {});
    expect(message).toMatch(/no session that could take the answer.*stateless_http=False/);
  });

  it("forwards an upstream error that concerns the caller's request", () => {
    const said = new McpError(-32602, "unknown tool: x", { data: { name: "x" } });
    expect(toCallerError("up", said, {})).toBe(said);
  });

  it("reports params that cannot be serialized again as an error of the caller (J-9)", () => {
    expect(toCallerError("up", new RangeError("Maximum call stack size exceeded"), {})).toMatchObject({ code: -32602 });
  });

  it("reports an internal error if the upstream rejects what the gateway wrote (D-52)", () => {
    const refused = unsupportedProtocolVersion("2026-07-28", ["2099-01-01"]);
    expect(toCallerError("up", refused, {})).toMatchObject({ code: -32603, data: { reason: "invalid" } });
  });

  it("returns -32021 only if the caller lacks the capability (J-65)", () => {
    const refused = missingClientCapability({ elicitation: { url: {} } });
    expect(toCallerError("up", refused, { elicitation: { form: {} } })).toBe(refused);
    expect(toCallerError("up", refused, { elicitation: { url: {} } })).toMatchObject({ code: -32603 });
  });
});

describe("outages of an upstream", () => {
  it.each([
    ["tools/call", 504, false],
    ["tools/call", 429, false],
    ["tools/call", 502, true],
    ["tools/list", 504, true],
    ["tools/list", 429, false],
  ])("decides whether a failed %s with status %i is an outage: %s", (requested, status, expected) => {
    expect(isOutage(new TransportError("status", "s", { status }), requested)).toBe(expected);
  });
});
