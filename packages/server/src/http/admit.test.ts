// Admission as a pure function: any body gets a decision. The table of refusals is in http-refusals.test.ts.
import fc from "fast-check";
import { expect, it } from "vitest";
import { callOf, metaOf, requestOf, version } from "../testing/messages.ts";
import { admit, admitMessage } from "./admit.ts";

const headers = (name: string): string | undefined =>
  ({ "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": "add" })[name];
const head = { headers, url: "/mcp" };

it("an admitted request is the parsed object of the body", () => {
  const message = callOf();
  const admission = admitMessage(message, head);
  expect(admission).toEqual({ kind: "request", request: message });
  expect(admission.kind === "request" && admission.request).toBe(message);
});

it("any text is rejected with 400, accepted as a notification, or a request with a checked envelope", () => {
  const json = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record(
        { jsonrpc: fc.constant("2.0"), method: fc.string(), id: fc.jsonValue(), params: fc.jsonValue() },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(json, (text) => {
      const admission = admit(text, head);
      if (admission.kind === "refused") {
        expect(admission.answer.status).toBe(400);
        expect(JSON.parse(admission.answer.body)).toMatchObject({
          jsonrpc: "2.0",
          error: { code: expect.any(Number) },
        });
      } else expect(admission.kind).toBe("notification");
    }),
  );
});

it("the legacy edge claims messages before the modern checks", () => {
  const claims = (message: unknown): boolean => Array.isArray(message);
  expect(admit("[]", head, { legacy: { claims } })).toEqual({ kind: "legacy", message: [] });
  expect(admit("{", head, { legacy: { claims } }).kind).toBe("refused");
  expect(admit(JSON.stringify(callOf()), head, { legacy: { claims } }).kind).toBe("request");
});

it("the headers are not read before the envelope is valid (J-25)", () => {
  const asked: string[] = [];
  const reader = { headers: (name: string): undefined => void asked.push(name), url: "/mcp" };
  admitMessage(requestOf("tools/list", { _meta: metaOf({ "io.modelcontextprotocol/protocolVersion": 1 }) }), reader);
  expect(asked.filter((name) => name === "mcp-method")).toEqual([]);
});

it("accepts a later revision that the server takes as it is, and rejects all others with the supported ones", () => {
  const server = { laterRevisions: () => ["2099-01-01"] };
  const admitted = (revision: string, named = revision) => {
    const _meta = metaOf({ "io.modelcontextprotocol/protocolVersion": revision });
    const headers = { "mcp-protocol-version": named, "mcp-method": "agents/run" } as Record<string, string>;
    const head = { url: "/mcp", headers: (name: string) => headers[name] };
    return admitMessage(requestOf("agents/run", { _meta }), head, server);
  };
  expect(admitted("2099-01-01")).toMatchObject({ kind: "request", request: { method: "agents/run" } });
  expect(admitted("2099-01-01", "2026-07-28")).toMatchObject({
    answer: { status: 400, body: expect.stringContaining("-32020") },
  });
  const supported = JSON.stringify(["2099-01-01", "2026-07-28"]);
  expect(admitted("2099-02-02")).toMatchObject({ answer: { status: 400, body: expect.stringContaining(supported) } });
});
