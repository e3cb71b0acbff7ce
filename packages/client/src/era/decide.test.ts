import { McpError } from "@lethe/protocol";
import { describe, expect, test } from "vitest";
import { TransportError } from "../call/transport-error.ts";
import { decideHttp, decideStdio, mayBeSse, type ProbeOutcome } from "./decide.ts";

const discover = (supportedVersions: string[]) => ({ resultType: "complete", supportedVersions, capabilities: {} });
const refused = (code: number, data?: unknown) => ({ error: new McpError(code, "refused", { data }) });
const broken = (reason: TransportError["reason"], status?: number) => ({
  error: new TransportError(reason, "broken", status === undefined ? {} : { status }),
  status,
});
const opaque = (cause: Error) => ({ error: new TransportError("lost", "broken", { cause }) });

const common: [what: string, outcome: ProbeOutcome, kind: string][] = [
  ["a DiscoverResult (D.3/3)", { result: discover(["2026-07-28"]) }, "modern"],
  [
    "a DiscoverResult of a draft, without a result type (I-8)",
    { result: { supportedVersions: ["2026-07-28"], capabilities: {} } as never },
    "modern",
  ],
  ["a DiscoverResult of both eras", { result: discover(["2025-11-25", "2026-07-28", "DRAFT-2027-v1"]) }, "modern"],
  ["a DiscoverResult with old versions only (D.2/3)", { result: discover(["2025-11-25"]) }, "legacy"],
  ["a DiscoverResult with unknown versions only", { result: discover(["2099-01-01"]) }, "failed"],
  ["versions that are no strings", { result: discover([{ toString: 1 }, [], null] as never[]) }, "failed"],
  ["versions of which one is ours", { result: discover([null as never, "2026-07-28"]) }, "modern"],
  ["a result that is no DiscoverResult (D.3/3)", { result: { resultType: "complete", tools: [] } }, "legacy"],
  ["a refusal that offers an old version (D-2)", refused(-32022, { supported: ["2025-06-18"] }), "legacy"],
  ["a refusal that offers nothing of ours", refused(-32022, { supported: ["2099-01-01"] }), "failed"],
  ["a second refusal that offers our version (J-22)", refused(-32022, { supported: ["2026-07-28"] }), "failed"],
  ["a refusal in the spelling of one draft (I-1)", refused(-32004, { supported: ["2025-06-18"] }), "legacy"],
  ["a refusal in the spelling of another draft (I-1)", refused(-32602, { supported: ["2099-01-01"] }), "failed"],
  ["a header mismatch (D.3/4)", refused(-32020), "failed"],
  ["a missing capability (D.3/4)", refused(-32021, { requiredCapabilities: {} }), "failed"],
  ["a missing capability under its draft code (I-2)", refused(-32003, { requiredCapabilities: {} }), "failed"],
  ["a code of a server's own that one draft used too", refused(-32003), "legacy"],
  ["an unknown method (D.3/4)", refused(-32601), "legacy"],
  ["invalid params without an offer", refused(-32602), "legacy"],
  ["any other code", refused(-32000), "legacy"],
  ["a code of 0 (D.2/5)", refused(0), "legacy"],
  ["a message of another kind", broken("invalid"), "legacy"],
  ["a caller who gave up", broken("cancelled"), "failed"],
  ["a server that cannot be reached", broken("unreachable"), "failed"],
  ["an error that is none of ours", { error: new TypeError("bad option") }, "failed"],
];

describe("over HTTP (I-14)", () => {
  test.each<(typeof common)[number]>([
    ...common,
    ["400 without a JSON-RPC body (D.3/5)", broken("status", 400), "legacy"],
    ["404 without a JSON-RPC body", broken("status", 404), "legacy"],
    ["405 without a JSON-RPC body", broken("status", 405), "legacy"],
    ["a web page under 200", broken("invalid", 200), "legacy"],
    ["401 (D.3/7)", broken("unauthorized", 401), "failed"],
    ["403 (D.3/7)", broken("unauthorized", 403), "failed"],
    ["429 (D.3/7)", broken("status", 429), "failed"],
    ["500 (D.3/7)", broken("status", 500), "failed"],
    ["a JSON-RPC error under 500", { ...refused(-32603), status: 500 }, "legacy"],
    ["a JSON-RPC error under 404", { ...refused(-32601), status: 404 }, "legacy"],
    ["a JSON-RPC error under 501", { ...refused(-32000), status: 501 }, "legacy"],
    [
      "a refusal under 500 that offers an old version",
      { ...refused(-32022, { supported: ["2025-06-18"] }), status: 500 },
      "legacy",
    ],
    ["a JSON-RPC error under 503 (D.3/7)", { ...refused(-32603), status: 503 }, "failed"],
    ["a JSON-RPC error that a load balancer sends with 502", { ...refused(-32603), status: 502 }, "failed"],
    ["a JSON-RPC error that a load balancer sends with 504", { ...refused(-32603), status: 504 }, "failed"],
    ["a JSON-RPC error under 401 (D.3/7)", { ...refused(-32001), status: 401 }, "failed"],
    ["a JSON-RPC error under 429 (D.3/7)", { ...refused(-32000), status: 429 }, "failed"],
    ["a JSON-RPC error under 403 (G-9)", { ...refused(-32600), status: 403 }, "failed"],
    ["silence (D.3/7)", broken("timeout"), "failed"],
    ["a broken connection (D.3/7)", broken("lost"), "failed"],
    ["a connection that broke in a way that is known", opaque(new TypeError("f", { cause: new Error("x") })), "failed"],
    ["a browser's word for a refused preflight (D.3/8)", opaque(new TypeError("Failed to fetch")), "legacy"],
    ["a redirect", broken("redirect", 307), "failed"],
  ])("%s", (_what, outcome, kind) => {
    expect(decideHttp("s", outcome).kind).toBe(kind);
  });
});

describe("over stdio (I-13)", () => {
  test.each<(typeof common)[number]>([
    ...common,
    ["silence (D.2/5)", broken("timeout"), "legacy"],
    ["an exit (D.2/5)", broken("lost"), "legacy"],
  ])("%s", (_what, outcome, kind) => {
    expect(decideStdio("s", outcome).kind).toBe(kind);
  });
});

test("the newest common revision is selected, in any order (J-33)", () => {
  expect(decideHttp("s", { result: discover(["2025-11-25", "2026-07-28"]) })).toMatchObject({
    revision: "2026-07-28",
    server: { supportedVersions: ["2025-11-25", "2026-07-28"] },
  });
});

test("the error for no common revision names both sides' revisions", () => {
  const decision = decideHttp("http://s", { result: discover(["2099-01-01"]) });
  expect((decision as { error: Error }).error.message).toMatch(/http:\/\/s .*2099-01-01.*2026-07-28.*2024-11-05/);
});

test("only a rejected initialize without a JSON-RPC body suggests HTTP+SSE (D.3/6)", () => {
  for (const status of [400, 404, 405]) expect(mayBeSse(broken("status", status).error)).toBe(true);
  expect(mayBeSse(broken("status", 500).error)).toBe(false);
  expect(mayBeSse(broken("unauthorized", 401).error)).toBe(false);
  expect(mayBeSse(refused(-32601).error)).toBe(false);
});

test("a long list of versions makes a short error message", () => {
  const decision = decideHttp("s", { result: discover(Array.from({ length: 100_000 }, () => "v".repeat(100))) });
  expect(decision).toMatchObject({ kind: "failed" });
  expect(String((decision as { error: Error }).error.message).length).toBeLessThan(1_000);
});
