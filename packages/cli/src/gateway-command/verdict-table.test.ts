import { stripVTControlCharacters } from "node:util";
import type { UpstreamView } from "@lethe/gateway";
import { describe, expect, it } from "vitest";
import { createStyle } from "../terminal/style.ts";
import { toVerdictTable } from "./verdict-table.ts";

const plain = createStyle({ isTTY: false });
const coloured = createStyle({ isTTY: true }, {});

function upstream(name: string, more: Partial<UpstreamView> = {}): UpstreamView {
  return {
    ...{ name, kind: "http", target: "", state: "ready", use: "one connection for all", warnings: [], problems: [] },
    ...{
      failures: 0,
      sessions: 1,
      sessionsLost: {},
      waiting: 0,
      pending: 0,
      tasks: 0,
      tools: 2,
      resources: 0,
      prompts: 10,
    },
    verdict: {
      ...{ word: "STATELESS", source: "probe", transport: "streamable-http", evidence: [], found: "" },
      features: { capabilities: [] },
      eras: {
        modern: { isSpoken: true, word: "STATELESS", revisions: ["2026-07-28"] },
        legacy: { isSpoken: true, word: "STATELESS", revisions: ["2025-11-25"] },
      },
    },
    ...more,
  };
}

const stateful = (name: string, warnings: readonly string[]) => {
  const { verdict, ...rest } = upstream(name, { kind: "stdio", use: "one process for all", warnings, tools: 17 });
  const modern = { isSpoken: false, word: "UNKNOWN", revisions: [] };
  if (!verdict) throw new Error("no verdict");
  return { ...rest, verdict: { ...verdict, word: "STATEFUL", transport: "stdio", eras: { ...verdict.eras, modern } } };
};

describe("the table of verdicts", () => {
  it("the table has an aligned line per server and groups equal warnings", () => {
    const failed = upstream("gone", { state: "failed", reason: "it ended\n with 1" });
    const { verdict: _, ...broken } = failed;
    const table = toVerdictTable(
      [upstream("tracker"), stateful("a", ["it ends"]), stateful("b", ["it ends"]), broken],
      plain,
    );
    expect(`\n${table}`).toBe(`
  server   transport  speaks                                is         served by               tools  resources  prompts
  tracker  HTTP       2026-07-28 modern, 2025-11-25 legacy  STATELESS  one connection for all      2          0       10
  a        stdio      2025-11-25 legacy                     STATEFUL   one process for all        17          0       10
  b        stdio      2025-11-25 legacy                     STATEFUL   one process for all        17          0       10
  gone     HTTP       –                                     failed
✗ gone: it ended with 1
! a, b: it ends
`);
  });

  it("colours do not change the width of the table", () => {
    const servers = [upstream("tracker"), stateful("a", ["it ends"])];
    const table = toVerdictTable(servers, coloured);
    expect(table).toContain("\u001b[32mSTATELESS\u001b[39m");
    expect(table).toContain("\u001b[33mSTATEFUL\u001b[39m ");
    expect(stripVTControlCharacters(table)).toBe(toVerdictTable(servers, plain));
  });

  it("text of servers appears in the table without control characters", () => {
    const table = toVerdictTable([stateful("a", ["it said \u001b[2J"])], plain);
    expect(table).toContain("\\u001b[2J");
  });
});
