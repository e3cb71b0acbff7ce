// Compares one FastMCP 2.14.0 server over stdio, HTTP+SSE, and Streamable HTTP with and without sessions.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Comparison, compare, minimalScript, type NamedTarget, surveyScript, toReport } from "lethe/compare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fastmcp214, installPython } from "../programs/python.ts";
import { type RunningServer, startPublished } from "../servers/published.ts";
import { fastmcpHeading, fastmcpPartOf } from "./transports-document.ts";

const installed = await installPython(fastmcp214);
const python = installed.python ?? "";
const script = fileURLToPath(new URL("../servers/fastmcp_features.py", import.meta.url));
const document = fileURLToPath(new URL("../../docs/transports.md", import.meta.url));
const why = installed.reason === undefined ? "" : ` (skipped: ${installed.reason})`;
const paths = { sse: "/sse", stateless: "/mcp", stateful: "/mcp" };

/** In the order of the columns, as an earlier comparison by hand has them; it has no stdio. */
const earlier: Readonly<Record<string, readonly string[]>> = {
  "Requests to connect, list and call": ["5", "4", "6"],
  Sampling: ["✓", "✗", "✓"],
  Elicitation: ["✓", "✗", "✓"],
  Progress: ["✓", "✗", "✓"],
  Logging: ["✓", "✗", "✓"],
  Roots: ["✓", "✗", "✓"],
  "Change notifications": ["✓", "✗", "✓"],
  "Background tasks": ["✓", "✗", "✓"],
};
const featureIds: Readonly<Record<string, string>> = {
  Sampling: "sampling",
  Elicitation: "elicitation",
  Progress: "progress",
  Logging: "logging",
  Roots: "roots",
  "Change notifications": "changes",
  "Background tasks": "background",
};

describe.skipIf(installed.reason !== undefined)(`one FastMCP 2.14.0 server over four transports${why}`, () => {
  const servers: RunningServer[] = [];
  let survey: Comparison;
  let minimal: Comparison;

  beforeAll(async () => {
    const overHttp = await Promise.all(
      (["sse", "stateless", "stateful"] as const).map(async (name): Promise<NamedTarget> => {
        const transport = name === "stateful" ? "http" : name;
        const program = (port: number) => ({ command: python, args: [script, transport, String(port)] });
        const server = await startPublished({ program, path: paths[name] });
        servers.push(server);
        return { name, target: { url: server.url } };
      }),
    );
    const targets = [...overHttp, { name: "stdio", target: { command: python, args: [script, "stdio"] } }];
    const limits = { timeoutMs: 8_000, connectTimeoutMs: 60_000 };
    survey = await compare(targets, { ...limits, script: { ...surveyScript, callAll: true } });
    minimal = await compare(targets, { ...limits, script: minimalScript });
  }, 240_000);
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  const transports = () => toReport(survey).transports;
  const marksOf = (feature: string) =>
    transports().map(({ verdicts }) => verdicts.find((verdict) => verdict.feature === feature)?.mark ?? "");

  it("detects the transports and names the columns", () => {
    expect(transports().map(({ title }) => title)).toEqual([
      "sse: HTTP+SSE",
      "stateless: Streamable HTTP, 2025-11-25, stateless",
      "stateful: Streamable HTTP, 2025-11-25, sessions",
      "stdio: stdio, 2025-11-25",
    ]);
  });

  it.each([
    ["resources", "✓✓✓✓"],
    ["prompts", "✓✓✓✓"],
    ["completion", "————"],
    ["sampling", "✓✗✓✓"],
    ["elicitation", "✓✗✓✓"],
    ["roots", "✓✗✓✓"],
    ["progress", "✓✓✓✓"],
    ["logging", "✓✓✓✓"],
    ["changes", "✓✗✓✓"],
    ["background", "✓——✓"],
  ])("the report on FastMCP shows %s as %s", (feature, marks) => {
    expect(marksOf(feature).join("")).toBe(marks);
  });

  it("a client of FastMCP needs 5, 4 and 6 requests to connect, list the tools and call one", () => {
    expect(toReport(minimal).transports.map(({ measures }) => measures.sent)).toEqual([5, 4, 6, 4]);
  });

  it("explains why no task was requested and why responses were lost", () => {
    const evidenceOf = (feature: string) =>
      transports()[1]?.verdicts.find((verdict) => verdict.feature === feature)?.evidence;
    expect(evidenceOf("background")).toContain("the server declares no tasks capability (#1 ← result of initialize)");
    expect(evidenceOf("elicitation")).toMatch(/the server requested input \(#\d+ ← elicitation\/create\)/);
    expect(evidenceOf("roots")).toMatch(/#\d+ → tools\/call list_folders, and no response followed/);
  });

  it("docs/transports.md contains the report on FastMCP (UPDATE=1 writes it)", async () => {
    const part = toDocument(survey, minimal);
    const kept = await readFile(document, "utf8");
    if (process.env.UPDATE) await writeFile(document, kept.replace(fastmcpPartOf(kept), "") + part);
    const documented = fastmcpPartOf(await readFile(document, "utf8"));
    expect(tableOf(documented)).toEqual(tableOf(part));
  });
});

function tableOf(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("|"));
}

function toDocument(survey: Comparison, minimal: Comparison): string {
  const { transports } = toReport(survey);
  const requests = toReport(minimal).transports.map(({ measures }) => String(measures.sent));
  const cellsOf = (label: string): string[] => {
    const id = featureIds[label];
    const now = id
      ? transports.map(({ verdicts }) => verdicts.find(({ feature }) => feature === id)?.mark ?? "")
      : requests;
    return now.map((cell, index) =>
      earlier[label]?.[index] === undefined ? cell : `${earlier[label][index]} ${cell}`,
    );
  };
  const rows = Object.keys(earlier).map((label) => `| ${[label, ...cellsOf(label)].join(" | ")} |`);
  const reasons = transports.flatMap(({ title, verdicts }) => [
    `\n### ${title}: reasons\n`,
    ...verdicts
      .filter(({ mark }) => mark !== "✓")
      .map(({ feature, mark, evidence }) => `- ${mark} ${feature}: ${toPlain(evidence)}`),
  ]);
  return `
${fastmcpHeading}

Generated by \`UPDATE=1 npx vitest run --project e2e e2e/compare/fastmcp.test.ts\` from \`e2e/servers/fastmcp_features.py\`. The same
with the command line, with the four servers in \`servers.json\`:

\`\`\`sh
npx lethe compare --config servers.json --call-all          # features
npx lethe compare --config servers.json --script minimal    # requests to connect, list the tools and call one
\`\`\`

In each cell the first mark is that of an earlier comparison of FastMCP by hand, which did not cover stdio. The second mark is measured by
Lethe. ✓ works, ✗ does not work, — was not requested.

|  | HTTP+SSE | Streamable HTTP, stateless | Streamable HTTP, sessions | stdio |
| --- | --- | --- | --- | --- |
${rows.join("\n")}

The two differ in three places. Progress and logging work without sessions: the notifications arrive on the stream of the call itself.
Over Streamable HTTP, FastMCP 2.14.0 declares no tasks, neither as \`tasks\` nor as \`experimental.tasks\`. A client of 2025-11-25 must not
request tasks then, so Lethe requests none; FastMCP's own client requests them regardless.
${reasons.join("\n")}
`;
}

/** Addresses and ports differ from run to run. */
function toPlain(evidence: string): string {
  return `\`${evidence.replace(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1").replaceAll("`", "'")}\``;
}
