// Formats a report as Markdown, for issues and pull requests.
import type { ProbeReport } from "./report.ts";
import { toFacts } from "./sentences.ts";

/** Renders a report as Markdown, with its facts and a table of the exchanges. */
export function toMarkdown(report: ProbeReport): string {
  const { target, word, confidence, requests, ms, evidence } = report;
  const name = target.name === undefined ? "" : `${toPlain(target.name)}: `;
  const facts = toFacts(report).map(({ title, text, details }) => {
    const items = details.map((detail) => `  - ${toPlain(detail)}\n`).join("");
    return `- **${title}**: ${toPlain(text)}\n${items}`;
  });
  const rows = evidence.map(({ number, what, answer, body, ms: took }) => {
    return `| ${number} | ${toPlain(what)} | ${toPlain(answer)} | ${Math.round(took)} | ${toCode(body)} |\n`;
  });
  return [
    `## ${name}${toCode(target.address)} is ${word}\n`,
    word === "UNKNOWN" ? "" : `Confidence: ${confidence}.\n`,
    `${facts.join("")}`,
    `> ${report.caution}\n`,
    `${requests} requests in ${Math.round(ms)} ms:\n`,
    `| # | request | answer | ms | body |\n| --: | --- | --- | --: | --- |\n${rows.join("")}`,
  ]
    .filter((part) => part !== "")
    .join("\n");
}

/** Escapes text of a server, so that it creates no links, HTML or table rows. */
function toPlain(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>#|!~]/g, "\\$&");
}

function toCode(text: string): string {
  if (text === "") return "";
  // A pipe ends a table cell even inside code.
  return `\`${oneLine(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}
