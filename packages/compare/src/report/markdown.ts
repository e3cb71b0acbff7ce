// Renders the report as Markdown that also reads well as plain text.
import { features } from "../script/script.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import { toArrowText, toOneLine } from "./plain-text.ts";
import type { ProbeFindings } from "./probe-findings.ts";
import { type Report, toHeadersTitle, toReason, toTitle } from "./report.ts";
import { type Row, toMatrix, toRows } from "./table.ts";

/** Renders a report as Markdown. */
export function toMarkdown(report: Report): string {
  const { transports, conclusion, method, unavailable, findings, recommendation } = report;
  const titles = transports.map(({ title }) => title);
  const matrix = toMatrix(transports);
  const overHttp = transports.filter(({ kind }) => kind === "http");
  const parts = [
    `# ${toTitle(report)}`,
    ...(conclusion === undefined ? [] : [`**${conclusion}**`]),
    method.map(toOneLine).join(" "),
    ...section("Recommendation", [recommendation.map((sentence) => `- ${sentence}`).join("\n")]),
    ...section("Quick comparison", [
      toTable(titles, toRows(transports)),
      unavailable.map((transport) => `- Unavailable: ${transport.title}: ${toOneLine(toReason(transport))}`).join("\n"),
    ]),
    ...section("Probe findings", findings.map(toFindingsText)),
    ...(matrix.length > 0 ? section("Features", [legend, toTable(titles, matrix)]) : []),
    ...section("Evidence", transports.map(toEvidence)),
    ...section(toHeadersTitle(report), overHttp.map(toHeaders)),
    ...section("On the wire", transports.map(toSequenceText)),
  ];
  return `${parts.join("\n\n")}\n`;
}

const legend = "✓ works, and a message proves it; ✗ was tried and failed; — was not requested.";

/** Returns nothing for a section without content. */
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

function toFindingsText({ address, word, facts, exchanges }: ProbeFindings): string {
  const lines = facts.flatMap(({ title, text, details }) => [
    `- **${title}**: ${toOneLine(text)}`,
    ...details.map((detail) => `  - ${toOneLine(detail)}`),
  ]);
  return `### ${code(address)} is ${word}\n\n${lines.join("\n")}\n\nRequests: ${exchanges.map(code).join(", ")}`;
}

function toEvidence({ title, verdicts, remarks }: MeasuredTransport): string {
  const lines = verdicts.map(({ feature, mark, evidence }) => `- ${mark} ${features[feature]}: ${code(evidence)}`);
  const all = [...lines, ...remarks.map((remark) => `- Note: ${toOneLine(remark)}`)];
  return all.length === 0 ? "" : `### ${title}\n\n${all.join("\n")}`;
}

function toHeaders({ title, uniqueHeaders }: MeasuredTransport): string {
  const lines = uniqueHeaders.map(
    ({ name, side, count, of, example }) => `- ${side} ${code(`${name}: ${example}`)} on ${count} of ${of}`,
  );
  return [`### ${title}`, lines.join("\n") || "None."].join("\n\n");
}

function toSequenceText({ title, sequence, revision, endpoint }: MeasuredTransport): string {
  const rows = sequence.flatMap((part) => [`-- ${part.title}`, ...part.arrows.map(toArrowText)]);
  return `### ${title}: exchanges\n\n${code(endpoint)}${revision === undefined ? "" : `, revision ${revision}`}\n\n\`\`\`text\n${rows.join("\n")}\n\`\`\``;
}

function escapeCell(text: string): string {
  return toOneLine(text).replaceAll("|", "\\|");
}

function code(text: string): string {
  return `\`${toOneLine(text).replaceAll("`", "'")}\``;
}
