import { metaKey } from "@lethe/protocol";
import { expect, test } from "vitest";
import { createRequestBuilder } from "./build-request.ts";

const envelope = { clientInfo: { name: "c", version: "1" }, capabilities: { roots: {} }, revision: "2026-07-28" };
const wireMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { roots: {} },
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
};

test("ids count from 1, because some peers treat 0 as missing (J-20)", () => {
  const { build } = createRequestBuilder(envelope);
  expect([build("a", {}).id, build("b", {}).id]).toEqual([1, 2]);
});

test("every request contains the envelope (A.2)", () => {
  const { build } = createRequestBuilder(envelope);
  expect(build("tools/call", { name: "x" })).toEqual({
    id: 1,
    method: "tools/call",
    params: { name: "x", _meta: wireMeta },
  });
});

test("a client without a name sends no clientInfo", () => {
  const { build } = createRequestBuilder({ capabilities: {}, revision: "2026-07-28" });
  expect(metaKey.clientInfo in build("tools/list", {}).params._meta).toBe(false);
});

test("progress token, log level and trace context are added to the envelope of their request only", () => {
  const { build } = createRequestBuilder(envelope);
  const extras = { progressToken: 0, logLevel: "info", trace: { traceparent: "00-a-b-01" } } as const;
  expect(build("tools/call", {}, extras).params._meta).toEqual({
    ...wireMeta,
    progressToken: 0,
    "io.modelcontextprotocol/logLevel": "info",
    traceparent: "00-a-b-01",
  });
  expect(build("tools/call", {}).params._meta).toEqual(wireMeta);
});

test("a caller's own _meta is kept, and cannot override the envelope", () => {
  const { build } = createRequestBuilder(envelope);
  const own = { "example.com/a": 1, [metaKey.protocolVersion]: "1999-01-01" };
  expect(build("tools/list", { _meta: own }).params._meta).toEqual({ "example.com/a": 1, ...wireMeta });
});
