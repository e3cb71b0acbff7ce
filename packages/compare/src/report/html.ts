// The report as one HTML page that loads nothing: no script, no font, no image. Readable at the width of a phone.

import type { Comparison } from "../run/comparison.ts";
import { features } from "../script/script.ts";
import type { Found } from "./found.ts";
import { toGaps } from "./gaps.ts";
import { css } from "./html-style.ts";
import { escapeHtml, toLinked, toWhole, toWholeAttribute } from "./html-text.ts";
import { markClasses, toWaySection } from "./html-way.ts";
import type { MeasuredWay } from "./measured-way.ts";
import { type Report, toHeadersTitle, toReason, toReport, toTitle } from "./report.ts";
import { type Row, toMatrix, toRows } from "./table.ts";

export function toHtml(comparison: Comparison): string {
  const report = toReport(comparison);
  const recordings = new Map(comparison.recordings.map((recording) => [recording.id, recording]));
  const headersTitle = toHeadersTitle(report);
  const ways = report.ways.map((way) => toWaySection(way, recordings.get(way.id), headersTitle)).join("\n");
  const sections = [
    toRecommendation(report),
    `<section id="comparison"><h2>Quick comparison</h2>${toTable(report.ways, toRows(report.ways), "costs")}${toAbsent(report)}</section>`,
    toFeatures(report),
    toFoundSection(report),
    `<section id="ways"><h2>Way by way</h2>${report.ways.length > 0 ? sequenceLegend : ""}${ways}</section>`,
  ].filter((section) => section !== "");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(toTitle(report))}</title>
<style>${css}</style>
</head>
<body>
<header>
<h1>${toWhole(toTitle(report))}</h1>
<p>Script: ${escapeHtml(report.script)}. Everything below was read off the wire between client and server${toDate(comparison)}; times are of one run.</p>
</header>
${toContents(report, sections)}
<main>
${sections.join("\n")}
</main>
</body>
</html>
`;
}

function toDate({ recordings: [first] }: Comparison): string {
  if (!first) return "";
  const time = new Date(first.startedAt).toISOString();
  return `, on <time datetime="${time}">${toWhole(time.slice(0, 16).replace("T", ", "))} UTC</time>`;
}

/** One line of links: to the sections, and below the last of them to each way. */
function toContents({ ways }: Report, sections: readonly string[]): string {
  const link = (id: string, title: string): string => `<li><a href="#${escapeHtml(id)}">${toWhole(title)}</a></li>`;
  const own = sections.flatMap((section) => {
    const [, id = "", title = ""] = /^<section id="([^"]*)"><h2>([^<]*)/.exec(section) ?? [];
    return id === "ways" ? [] : link(id, title);
  });
  return `<nav aria-label="Contents"><ul>${own.join("")}${ways.map(({ id, title }) => link(id, title)).join("")}</ul></nav>`;
}

const markLegend = `<p class="legend"><span><b class="yes">✓</b> works, and the wire shows it</span> <span><b class="no">✗</b> was tried and does not</span> <span><b class="off">—</b> was not requested</span></p>`;
const sequenceLegend = `<p class="legend"><span><i class="line"></i> sent by the client</span> <span><i class="line dashed"></i> sent by the server</span> <span>#6 opens what crossed, as it crossed; times are from the start of the recording</span></p>`;

function toFeatures({ ways }: Report): string {
  const matrix = toMatrix(ways);
  if (matrix.length === 0) return "";
  return `<section id="features"><h2>Features</h2>${markLegend}${toTable(ways, matrix, "matrix")}${toGapList(ways)}</section>`;
}

/** Numbers in the evidence lead to the exchanges of a way, where it is of one way only. */
function toGapList(ways: readonly MeasuredWay[]): string {
  const items = toGaps(ways).map(({ mark, feature, evidence, ways: of }) => {
    const [first = 0] = of;
    const titles =
      of.length === ways.length && of.length > 1 ? "all" : of.map((index) => ways[index]?.title).join("; ");
    const proof = of.length === 1 ? toLinked(evidence, ways[first]?.id ?? "") : escapeHtml(evidence);
    return `<li><span class="${markClasses[mark]}">${mark}</span> <b>${features[feature]}</b>, ${toWhole(titles)}: <span class="proof">${proof}</span></li>`;
  });
  return items.length === 0 ? "" : `<h3>Why not</h3><ul class="evidence">${items.join("\n")}</ul>`;
}

function toRecommendation({ recommendation }: Report): string {
  if (recommendation.length === 0) return "";
  const items = recommendation.map((sentence) => `<li>${withStrong(toWhole(sentence))}</li>`).join("");
  return `<section id="recommendation"><h2>Recommendation</h2><ul>${items}</ul></section>`;
}

function toAbsent({ absent }: Report): string {
  if (absent.length === 0) return "";
  const items = absent.map((way) => `<li><b>${toWhole(way.title)}</b>: ${escapeHtml(toReason(way))}</li>`).join("");
  return `<h3>Not available</h3><ul>${items}</ul>`;
}

function toFoundSection({ found }: Report): string {
  if (found.length === 0) return "";
  return `<section id="found"><h2>What the probe found</h2>${found.map(toFound).join("\n")}</section>`;
}

function toFound({ address, word, facts, exchanges }: Found): string {
  const items = facts.map(({ title, text, details }) => {
    const more = details.map((detail) => `<li>${escapeHtml(detail)}</li>`).join("");
    return `<li><b>${escapeHtml(title)}</b>: ${escapeHtml(text)}${more === "" ? "" : `<ul>${more}</ul>`}</li>`;
  });
  return `<h3><code>${escapeHtml(address)}</code> is ${word}</h3><ul>${items.join("")}</ul>
<details><summary>What the probe asked <small>${exchanges.length} exchanges</small></summary><pre>${escapeHtml(exchanges.join("\n"))}</pre></details>`;
}

/** On a phone each row of costs becomes a block with a line for each way, hence the label of each cell. */
function toTable(ways: readonly MeasuredWay[], rows: readonly Row[], kind: "costs" | "matrix"): string {
  const head = ways
    .map(({ title, id }) => `<th scope="col"><a href="#${escapeHtml(id)}">${toWhole(title)}</a></th>`)
    .join("");
  const body = rows.map(({ label, cells, amounts }) => {
    const most = Math.max(...(amounts ?? []).map((amount) => amount ?? 0));
    const data = cells.map((lines, index) => {
      const mark = markClasses[lines[0] ?? ""];
      const amount = amounts?.[index];
      const bar = amount === undefined || most <= 0 || ways.length < 2 ? "" : toBar(amount / most);
      return `<td data-way="${toWholeAttribute(ways[index]?.title ?? "")}"${mark ? ` class="${mark}"` : ""}><span>${lines.map(toWhole).join("<br>")}${bar}</span></td>`;
    });
    return `<tr><th scope="row">${escapeHtml(label)}</th>${data.join("")}</tr>`;
  });
  return `<table class="${kind}"><thead><tr><td></td>${head}</tr></thead><tbody>${body.join("\n")}</tbody></table>`;
}

function toBar(share: number): string {
  return `<i class="bar" style="width:${Math.max(1, Math.round(share * 100))}%"></i>`;
}

function withStrong(html: string): string {
  return html.replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>");
}
