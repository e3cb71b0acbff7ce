// Requests as commands, archives and tests.
import { expect, it } from "vitest";
import type { ExchangeDetail } from "../admin/admin-api.ts";
import { toCurl, toHar, toTest } from "./copy-as.ts";

const exchange: ExchangeDetail = {
  ...{ id: "1", replica: "r1", time: "2026-01-01T00:00:00.000Z", endpoint: "/mcp", method: "tools/call", ms: 4 },
  ...{ name: "fs__read", caller: "ann", outcome: "complete", hasSteps: true, stepsOmitted: 0, related: [] },
  params: { name: "fs__read", arguments: { path: "it's" } },
  steps: [
    {
      ...{ at: 0, from: "caller", to: "replica:r1", kind: "request", label: "tools/call" },
      body: { method: "tools/call" },
      headers: { host: "localhost:3000", "user-agent": "tester" },
    },
    {
      ...{ at: 1, from: "replica:r1", to: "upstream:fs", kind: "request", label: "tools/call" },
      headers: { "mcp-name": "read" },
    },
    {
      ...{ at: 3, from: "upstream:fs", to: "replica:r1", kind: "response", label: "complete", status: 200 },
      headers: { "content-type": "text/event-stream" },
    },
  ],
};

it("writes a command that a shell reads as one request, with the key as a variable", () => {
  const command = toCurl(exchange, "http://localhost:3000");
  expect(command).toContain("curl http://localhost:3000/mcp \\\n");
  expect(command).toContain("-H 'mcp-name: fs__read'");
  expect(command).toContain("-H 'user-agent: tester'");
  expect(command).not.toContain("-H 'host");
  expect(command).toContain('-H "authorization: Bearer $KEY"');
  expect(command).toContain(`"path":"it'\\''s"`);
});

it("writes an archive of both sides with the bodies and headers that were recorded", () => {
  const { log } = JSON.parse(toHar([exchange], "http://localhost:3000"));
  expect(log.entries[0].request).toMatchObject({
    url: "http://localhost:3000/mcp",
    postData: { text: '{"method":"tools/call"}' },
    headers: [
      { name: "host", value: "localhost:3000" },
      { name: "user-agent", value: "tester" },
    ],
  });
  expect(log.entries[1]).toMatchObject({
    time: 2,
    request: { url: "http://fs/", headers: [{ name: "mcp-name", value: "read" }] },
    response: { status: 200, headers: [{ name: "content-type", value: "text/event-stream" }] },
  });
});

it("writes a test that expects the same outcome", () => {
  expect(toTest(exchange, "http://localhost:3000")).toContain(
    'client.callTool("fs__read", {\n    "path": "it\'s"\n  })',
  );
  const failed = { ...exchange, outcome: "error", code: -32602 };
  expect(toTest(failed, "http://localhost:3000")).toContain("rejects.toMatchObject({ code: -32602 })");
});
