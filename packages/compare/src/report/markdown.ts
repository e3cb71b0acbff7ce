// The report as Markdown: reads well as plain text, too.
import { features } from "../script/script.ts";
import type { Report, Way } from "./report.ts";
import type { Arrow } from "./sequence.ts";
import { type Row, toMatrix, toMs, toRows } from "./table.ts";

export function toMarkdown(report: Report): string {
  const { ways, script, absent, recommendation } = report;
  const titles = ways.map(({ title }) => title);
  const parts = [
    "# Transports compared",
    `Script: ${script}. Everything below was read off the wire between client and server.`,
    "## Recommendation",
    recommendation.map((sentence) => `- ${sentence}`).join("\n"),
    "## Quick comparison",
    toTable(titles, toRows(ways)),
    absent.map(({ title, reason }) => `- Not available: ${title} (${oneLine(reason)})`).join("\n"),
    "## Features",
    "✓ works, and the wire shows it; ✗ was tried and does not; — was not tried.",
    toTable(titles, toMatrix(ways)),
    "## Evidence",
    ...ways.map(toEvidence),
    "## Headers that no other way has",
    ...ways.filter(({ transport }) => transport === "http").map(toHeaders),
    "## On the wire",
    ...ways.map(toSequenceText),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
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

function toEvidence({ title, verdicts, remarks }: Way): string {
  const lines = verdicts.map(({ feature, mark, evidence }) => `- ${mark} ${features[feature]}: ${code(evidence)}`);
  return [`### ${title}`, [...lines, ...remarks.map((remark) => `- Note: ${oneLine(remark)}`)].join("\n")].join("\n\n");
}

function toHeaders({ title, uniqueHeaders }: Way): string {
  const lines = uniqueHeaders.map(
    ({ name, side, count, of, example }) => `- ${side} ${code(`${name}: ${example}`)} on ${count} of ${of}`,
  );
  return [`### ${title}`, lines.join("\n") || "None."].join("\n\n");
}

function toSequenceText({ title, sequence, revision, endpoint }: Way): string {
  const rows = sequence.flatMap((part) => [`-- ${part.title}`, ...part.arrows.map(toArrowText)]);
  return `### ${title}: exchanges\n\n${code(endpoint)}${revision === undefined ? "" : `, revision ${revision}`}\n\n\`\`\`text\n${rows.join("\n")}\n\`\`\``;
}

function toArrowText({ at, from, number, carrier, words }: Arrow): string {
  const time = toMs(at).padStart(9);
  const what = oneLine([carrier, words].filter(Boolean).join("  "));
  return from === "client" ? `${time}  #${number} ──▶ ${what}` : `${time}       ◀── #${number} ${what}`;
}

function escapeCell(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``;
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ");
}
