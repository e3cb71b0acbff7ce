import { errorCode, McpError } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { createFakeExchange, createFakeSessions, requestOf } from "../testing/fakes.ts";
import { LegacyEra } from "../upstreams/sessions/legacy-era.ts";
import { isEraRefused, mayRunAgain } from "./era-refusal.ts";
import type { ForwardedCall } from "./forwarded-call.ts";

const legacyEra = new LegacyEra({ create: () => createFakeSessions().sessions, read: async () => {} });

function callOf(args: object = {}, isLegacy = false): ForwardedCall {
  const main = createFakeSessions({ legacyEra }).sessions;
  const sessions = isLegacy ? createFakeSessions({ newerEra: () => main }).sessions : main;
  const request = requestOf("tools/call", { name: "ask", arguments: args });
  return { target: { sessions, params: { name: "ask" } }, request, exchange: createFakeExchange() };
}

const text = (said: string, more: object = {}) => ({
  ...{ resultType: "complete" as const, content: [{ type: "text", text: said }] },
  ...more,
});
const failed = (message: string) => new McpError(errorCode.internalError, message);

/** As released SDKs write it. */
const refusals: [string, string][] = [
  [
    "TypeScript 2.4",
    "Elicitation not supported or error: Method 'elicitation/create' is not supported by the negotiated protocol version (wire era 2026-07-28)",
  ],
  [
    "TypeScript 2.4, in the context of a request",
    "Server-to-client requests are not available on protocol revision 2026-07-28: 'elicitation/create' cannot be sent while serving a request on that revision. Return inputRequired({ ... }) from the handler instead",
  ],
  [
    "go-sdk 1.8",
    '"sampling/createMessage" cannot be sent while serving a request on protocol version 2026-07-28: return an InputRequests map instead (multi round-trip requests, SEP-2322)',
  ],
  [
    "mcp-go 1.2",
    "elicitation failed: server-initiated requests are not supported in protocol version 2026-07-28 or later: return an InputRequests map from the handler instead (multi round-trip requests, SEP-2322)",
  ],
  [
    "Python 2.3 and FastMCP 4",
    "Error executing tool ask: Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
  ],
  [
    "rmcp 3",
    "Mcp error: -32600: SEP-2260: server-to-client requests must be associated with an originating client request",
  ],
];

describe("a tool that pushes a request on a connection of 2026-07-28", () => {
  it.each(refusals)(
    "recognizes a refused server-to-client request in the result and in the error of %s",
    (_sdk, words) => {
      expect(isEraRefused(callOf(), text(words, { isError: true }))).toBe(true);
      expect(isEraRefused(callOf(), text(words))).toBe(true);
      expect(isEraRefused(callOf(), failed(words))).toBe(true);
    },
  );

  it.each(refusals)("ignores the refusal text of %s if the arguments of the call contain it", (_sdk, words) => {
    expect(isEraRefused(callOf({ note: words }), text(words))).toBe(false);
  });

  it.each(refusals)(
    "ignores the refusal text of %s if it is one of several contents or not near the beginning",
    (_sdk, words) => {
      const content = [
        { type: "text", text: "found:" },
        { type: "text", text: words },
      ];
      expect(isEraRefused(callOf(), { resultType: "complete", content })).toBe(false);
      expect(isEraRefused(callOf(), text("x".repeat(2_000) + words))).toBe(false);
    },
  );

  it("does not look for refusals if the upstream has one connection", () => {
    const call = callOf();
    const { sessions } = createFakeSessions();
    const words = refusals[0]?.[1] ?? "";
    expect(isEraRefused({ ...call, target: { ...call.target, sessions } }, text(words))).toBe(false);
  });
});

describe("a tool that requires a task, on a legacy connection", () => {
  it("moves a call of a tool that requires a task to the newer era at once, because it has not begun", () => {
    const call = callOf({}, true);
    const refusal = new McpError(errorCode.methodNotFound, 'tool "long" runs only as a task');
    expect(isEraRefused(call, refusal)).toBe(true);
    expect(mayRunAgain(call, refusal)).toBe(true);
    expect(mayRunAgain(call, failed("Handler returned an invalid result"))).toBe(false);
    expect(isEraRefused(callOf(), refusal)).toBe(false);
  });
});

describe("a tool that returns input_required on a legacy connection", () => {
  it.each([
    ["rmcp 3", "InputRequiredResult requires negotiated protocol version 2026-07-28 or newer"],
    ["Python 2.3", "Handler returned an invalid result"],
  ])("recognizes an input_required result without its era in the error of %s", (_sdk, words) => {
    expect(isEraRefused(callOf({}, true), failed(words))).toBe(true);
    expect(isEraRefused(callOf({}, true), text(words))).toBe(false);
    expect(isEraRefused(callOf(), failed(words))).toBe(false);
  });
});
