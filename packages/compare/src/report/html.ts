// Renders the report as one HTML page without scripts, fonts or images, readable on a phone.
import { escapeHtml, toHtmlPage, toWhole, toWholeAttribute } from "@lethe/probe/html";
import type { Comparison } from "../run/comparison.ts";
import { features } from "../script/script.ts";
import { toGaps } from "./gaps.ts";
import { css } from "./html-style.ts";
import { toLinked } from "./html-text.ts";
import { markClasses, toTransportSection } from "./html-transport.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import type { ProbeFindings } from "./probe-findings.ts";
import { type Report, toHeadersTitle, toReason, toReport, toTitle } from "./report.ts";
import { type Row, toMatrix, toRows } from "./table.ts";

/** Renders a comparison as one HTML page without external files, with every exchange. */
export function toHtml(comparison: Comparison): string {
  const report = toReport(comparison);
  const recordings = new Map(comparison.recordings.map((recording) => [recording.id, recording]));
  const headersTitle = toHeadersTitle(report);
  const transports = report.transports
    .map((transport) => toTransportSection(transport, recordings.get(transport.id), headersTitle))
    .join("\n");
  const sections = [
    toRecommendation(report),
    `<section id="comparison"><h2>Quick comparison</h2>${toTable(report.transports, toRows(report.transports), "costs")}${toUnavailable(report)}</section>`,
    toFeatures(report),
    toFindingsSection(report),
    `<section id="transports"><h2>Transports in detail</h2>${report.transports.length > 0 ? sequenceLegend : ""}${transports}</section>`,
  ].filter((section) => section !== "");
  return toHtmlPage({
    ...{ title: toTitle(report), heading: report.conclusion ?? toTitle(report), method: report.method },
    ...{ contents: toContents(report, sections), sections, css },
  });
}

/** The sections, followed by each transport. */
function toContents({ transports }: Report, sections: readonly string[]): { id: string; title: string }[] {
  const own = sections.flatMap((section) => {
    const [, id = "", title = ""] = /^<section id="([^"]*)"><h2>([^<]*)/.exec(section) ?? [];
    return id === "transports" ? [] : [{ id, title }];
  });
  return [...own, ...transports.map(({ id, title }) => ({ id, title }))];
}

const markLegend = `<p class="legend"><span><b class="yes">✓</b> works, and a message proves it</span> <span><b class="no">✗</b> was tried and failed</span> <span><b class="off">—</b> was not requested</span></p>`;
const sequenceLegend = `<p class="legend"><span><i class="line"></i> sent by the client</span> <span><i class="line dashed"></i> sent by the server</span> <span>#6 opens the recorded exchange; times start with the recording</span></p>`;

function toFeatures({ transports }: Report): string {
  const matrix = toMatrix(transports);
  if (matrix.length === 0) return "";
  return `<section id="features"><h2>Features</h2>${markLegend}${toTable(transports, matrix, "matrix")}${toGapList(transports)}</section>`;
}

/** Numbers link to exchanges if the evidence belongs to one transport only. */
function toGapList(transports: readonly MeasuredTransport[]): string {
  const items = toGaps(transports).map(({ mark, feature, evidence, transports: of }) => {
    const [first = 0] = of;
    const titles =
      of.length === transports.length && of.length > 1 ? "all" : of.map((index) => transports[index]?.title).join("; ");
    const proof = of.length === 1 ? toLinked(evidence, transports[first]?.id ?? "") : escapeHtml(evidence);
    return `<li><span class="${markClasses[mark]}">${mark}</span> <b>${features[feature]}</b>, ${toWhole(titles)}: <span class="proof">${proof}</span></li>`;
  });
  return items.length === 0 ? "" : `<h3>Reasons</h3><ul class="evidence">${items.join("\n")}</ul>`;
}

function toRecommendation({ recommendation }: Report): string {
  if (recommendation.length === 0) return "";
  const items = recommendation.map((sentence) => `<li>${withStrong(toWhole(sentence))}</li>`).join("");
  return `<section id="recommendation"><h2>Recommendation</h2><ul>${items}</ul></section>`;
}

function toUnavailable({ unavailable }: Report): string {
  if (unavailable.length === 0) return "";
  const items = unavailable
    .map((transport) => `<li><b>${toWhole(transport.title)}</b>: ${escapeHtml(toReason(transport))}</li>`)
    .join("");
  return `<h3>Unavailable transports</h3><ul>${items}</ul>`;
}

function toFindingsSection({ findings }: Report): string {
  if (findings.length === 0) return "";
  return `<section id="findings"><h2>Probe findings</h2>${findings.map(toProbeFindings).join("\n")}</section>`;
}

function toProbeFindings({ address, word, facts, exchanges }: ProbeFindings): string {
  const items = facts.map(({ title, text, details }) => {
    const more = details.map((detail) => `<li>${escapeHtml(detail)}</li>`).join("");
    return `<li><b>${escapeHtml(title)}</b>: ${escapeHtml(text)}${more === "" ? "" : `<ul>${more}</ul>`}</li>`;
  });
  return `<h3><code>${escapeHtml(address)}</code> is ${word}</h3><ul>${items.join("")}</ul>
<details><summary>Probe requests <small>${exchanges.length} exchanges</small></summary><pre>${escapeHtml(exchanges.join("\n"))}</pre></details>`;
}

/** Each cell is labelled: on a phone, each row becomes a block with a line for each transport. */
function toTable(transports: readonly MeasuredTransport[], rows: readonly Row[], kind: "costs" | "matrix"): string {
  const head = transports
    .map(({ title, id }) => `<th scope="col"><a href="#${escapeHtml(id)}">${toWhole(title)}</a></th>`)
    .join("");
  const body = rows.map(({ label, cells, amounts }) => {
    const most = Math.max(...(amounts ?? []).map((amount) => amount ?? 0));
    const data = cells.map((lines, index) => {
      const mark = markClasses[lines[0] ?? ""];
      const amount = amounts?.[index];
      const bar = amount === undefined || most <= 0 || transports.length < 2 ? "" : toBar(amount / most);
      return `<td data-transport="${toWholeAttribute(transports[index]?.title ?? "")}"${mark ? ` class="${mark}"` : ""}><span>${lines.map(toCellLine).join("<br>")}${bar}</span></td>`;
    });
    return `<tr><th scope="row">${escapeHtml(label)}</th>${data.join("")}</tr>`;
  });
  return `<div class="wide" role="region" tabindex="0" aria-label="${kind === "costs" ? "Quick comparison" : "Features"}"><table class="${kind}" style="--columns:${transports.length}"><thead><tr><td></td>${head}</tr></thead><tbody>${body.join("\n")}</tbody></table></div>`;
}

/** Long words such as "subscriptions/listen" break after a slash. */
function toCellLine(line: string): string {
  return toWhole(line).replace(/(?<=\w)\/(?=\w)/g, "/<wbr>");
}

function toBar(share: number): string {
  return `<i class="bar" style="width:${Math.max(1, Math.round(share * 100))}%"></i>`;
}

function withStrong(html: string): string {
  return html.replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>");
}
