// What the terminal shows while a server is developed.
import { join } from "node:path";
import type { CallReport, DevEvent } from "@lethe/dev";
import { expect, it } from "vitest";
import { createStyle } from "../terminal/style.ts";
import { createEventText } from "./event-text.ts";

const entry = join(process.cwd(), "src/server.ts");
const toText = createEventText({ entry, style: createStyle({}), now: () => new Date(2026, 0, 1, 9, 8, 7) });
const textOf = (event: DevEvent): string => toText(event).text;
const call = (more: Partial<CallReport>): DevEvent => {
  const report = { method: "tools/call", target: "greet", durationMs: 12.34, client: "client 1.0", isLegacy: false };
  return { kind: "call", call: { ...report, outcome: { kind: "ok" }, ...more } };
};

it("a call is one line with its method, target, duration, outcome and client", () => {
  expect(textOf(call({}))).toBe("09:08:07  tools/call        greet                    12 ms  ok  client 1.0\n");
  const failed = call({
    outcome: { kind: "toolError", text: "no\nsuch \u001b[31mcity" },
    durationMs: 1.26,
    isLegacy: true,
  });
  expect(textOf(failed)).toBe(
    "09:08:07  tools/call        greet                   1.3 ms  tool error: no such \\u001b[31mcity  client 1.0  (older revision)\n",
  );
});

it("an error shows its place, its line and the calls that led to it", () => {
  const place = { file: entry, line: 12, column: 9, length: 4, lineText: "  throw oops;" };
  const problems = [{ text: 'Expected ";"', place, trace: ["at greet (src/server.ts:12:9)"] }];
  expect(toText({ kind: "broken", problems, isServing: true })).toEqual({
    isError: true,
    text: `09:08:07  error src/server.ts:12:9 Expected ";"
  12 |   throw oops;
     |         ^^^^
  at greet (src/server.ts:12:9)
The code before it still answers. Saving a change tries again.
`,
  });
});

it("a reload says how long it took and what clients are told", () => {
  const loaded = { durationMs: 84.6, name: "notes", counts: { tools: 1, prompts: 0, resources: 2 } };
  expect(textOf({ kind: "reloaded", changed: [], ...loaded })).toBe("09:08:07  reloaded in 85 ms\n");
  expect(textOf({ kind: "reloaded", changed: ["tools", "prompts"], ...loaded })).toBe(
    "09:08:07  reloaded in 85 ms; clients are told that tools and prompts changed\n",
  );
});

it("a server that is ready shows the address of its console, unless browsers cannot reach it", () => {
  const loaded = { durationMs: 84.6, name: "notes", counts: { tools: 1, prompts: 0, resources: 2 } };
  const url = "http://127.0.0.1:3000/mcp";
  const textWith = (consoleUrl: string | undefined) => textOf({ kind: "ready", url, consoleUrl, ...loaded });
  expect(textWith("http://127.0.0.1:3000/console/")).toContain(
    "Or open the web console:\n  http://127.0.0.1:3000/console/\n\n",
  );
  expect(textWith(undefined)).not.toContain("web console");
});
