// The report as Markdown: reads well as plain text, too.
import { features } from "../script/script.ts";
import type { Found } from "./found.ts";
import type { MeasuredWay } from "./measured-way.ts";
import { toOneLine } from "./one-line.ts";
import { type Report, toHeadersTitle, toReason, toTitle } from "./report.ts";
import { toArrowText } from "./sequence-text.ts";
import { type Row, toMatrix, toRows } from "./table.ts";

export function toMarkdown(report: Report): string {
  const { ways, script, absent, found, recommendation } = report;
  const titles = ways.map(({ title }) => title);
  const matrix = toMatrix(ways);
  const overHttp = ways.filter(({ transport }) => transport === "http");
  const parts = [
    `# ${toTitle(report)}`,
    `Script: ${script}. Everything below was read off the wire between client and server; times are of one run.`,
    ...section("Recommendation", [recommendation.map((sentence) => `- ${sentence}`).join("\n")]),
    ...section("Quick comparison", [
      toTable(titles, toRows(ways)),
      absent.map((way) => `- Not available: ${way.title}: ${toOneLine(toReason(way))}`).join("\n"),
    ]),
    ...section("What the probe found", found.map(toFoundText)),
    ...(matrix.length > 0 ? section("Features", [legend, toTable(titles, matrix)]) : []),
    ...section("Evidence", ways.map(toEvidence)),
    ...section(toHeadersTitle(report), overHttp.map(toHeaders)),
    ...section("On the wire", ways.map(toSequenceText)),
  ];
  return `${parts.join("\n\n")}\n`;
}

const legend = "✓ works, and the wire shows it; ✗ was tried and does not; — was not requested.";

/** Nothing for nothing. */
function section(title: string, parts: readonly string[]): string[] {
  const filled = parts.filter((part) => part !== "");
  return filled.length === 0 ? [] : [`## ${title}`, ...filled];
}

function toTable(titles: readonly string[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;
  const rule = `|${" --- |".repeat(titles.length + 1)}`;
  return [
    line(["", ...titles]),
    rule,
    ...rows.map(({ label, cells }) => line([label, ...cells.map((lines) => lines.join(", "))])),
  ].join("\n");
}

function toFoundText({ address, word, facts, exchanges }: Found): string {
  const lines = facts.flatMap(({ title, text, details }) => [
    `- **${title}**: ${toOneLine(text)}`,
    ...details.map((detail) => `  - ${toOneLine(detail)}`),
  ]);
  return `### ${code(address)} is ${word}\n\n${lines.join("\n")}\n\nAsked: ${exchanges.map(code).join(", ")}`;
}

function toEvidence({ title, verdicts, remarks }: MeasuredWay): string {
  const lines = verdicts.map(({ feature, mark, evidence }) => `- ${mark} ${features[feature]}: ${code(evidence)}`);
  const all = [...lines, ...remarks.map((remark) => `- Note: ${toOneLine(remark)}`)];
  return all.length === 0 ? "" : `### ${title}\n\n${all.join("\n")}`;
}

function toHeaders({ title, uniqueHeaders }: MeasuredWay): string {
  const lines = uniqueHeaders.map(
    ({ name, side, count, of, example }) => `- ${side} ${code(`${name}: ${example}`)} on ${count} of ${of}`,
  );
  return [`### ${title}`, lines.join("\n") || "None."].join("\n\n");
}

function toSequenceText({ title, sequence, revision, endpoint }: MeasuredWay): string {
  const rows = sequence.flatMap((part) => [`-- ${part.title}`, ...part.arrows.map(toArrowText)]);
  return `### ${title}: exchanges\n\n${code(endpoint)}${revision === undefined ? "" : `, revision ${revision}`}\n\n\`\`\`text\n${rows.join("\n")}\n\`\`\``;
}

function escapeCell(text: string): string {
  return toOneLine(text).replaceAll("|", "\\|");
}

function code(text: string): string {
  return `\`${toOneLine(text).replaceAll("`", "'")}\``;
}
