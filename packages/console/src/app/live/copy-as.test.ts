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
    },
  ],
};

it("writes a command that a shell reads as one request, with the key as a variable", () => {
  const command = toCurl(exchange, "http://localhost:3000");
  expect(command).toContain("curl http://localhost:3000/mcp \\\n");
  expect(command).toContain("-H 'Mcp-Name: fs__read'");
  expect(command).toContain('-H "Authorization: Bearer $KEY"');
  expect(command).toContain(`"path":"it'\\''s"`);
});

it("writes an archive with the bodies that were recorded", () => {
  const { log } = JSON.parse(toHar([exchange], "http://localhost:3000"));
  expect(log.entries[0].request).toMatchObject({
    url: "http://localhost:3000/mcp",
    postData: { text: '{"method":"tools/call"}' },
  });
});

it("writes a test that expects the same outcome", () => {
  expect(toTest(exchange, "http://localhost:3000")).toContain(
    'client.callTool("fs__read", {\n    "path": "it\'s"\n  })',
  );
  const failed = { ...exchange, outcome: "error", code: -32602 };
  expect(toTest(failed, "http://localhost:3000")).toContain("rejects.toMatchObject({ code: -32602 })");
});
