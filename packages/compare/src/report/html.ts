// The report as one HTML page that loads nothing: no script, no font, no image. Readable at the width of a phone.
import type { HttpExchange, Recording, StdioLine } from "../record/recording.ts";
import type { Comparison } from "../run/comparison.ts";
import { features } from "../script/script.ts";
import type { Found } from "./found.ts";
import { css } from "./html-style.ts";
import type { MeasuredWay } from "./measured-way.ts";
import { type Report, toHeadersTitle, toReason, toReport, toTitle } from "./report.ts";
import type { Arrow, SequencePart } from "./sequence.ts";
import { type Row, toBytes, toMatrix, toMs, toRows } from "./table.ts";

/** Of one body or event on the page, in characters; the JSON report has it all. */
const maxShown = 4_000;
const markClasses: Readonly<Record<string, string>> = { "✓": "yes", "✗": "no", "—": "off" };

export function toHtml(comparison: Comparison): string {
  const report = toReport(comparison);
  const recordings = new Map(comparison.recordings.map((recording) => [recording.id, recording]));
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
<h1>${escapeHtml(toTitle(report))}</h1>
<p>Script: ${escapeHtml(report.script)}. Everything below was read off the wire between client and server.</p>
</header>
<main>
${toRecommendation(report)}
<section id="comparison"><h2>Quick comparison</h2>${toTable(report.ways, toRows(report.ways))}${toAbsent(report)}</section>
${toFeatures(report)}
${toFoundSection(report)}
<section id="ways"><h2>Way by way</h2>${report.ways.map((way) => toWay(way, recordings.get(way.id), toHeadersTitle(report))).join("\n")}</section>
</main>
</body>
</html>
`;
}

function toFeatures({ ways }: Report): string {
  const matrix = toMatrix(ways);
  if (matrix.length === 0) return "";
  return `<section id="features"><h2>Features</h2>
<p class="legend"><span class="yes">✓</span> works, and the wire shows it <span class="no">✗</span> was tried and does not <span class="off">—</span> was not tried</p>
${toTable(ways, matrix, "matrix")}</section>`;
}

function toRecommendation({ recommendation }: Report): string {
  if (recommendation.length === 0) return "";
  const items = recommendation.map((sentence) => `<li>${withStrong(escapeHtml(sentence))}</li>`).join("");
  return `<section id="recommendation"><h2>Recommendation</h2><ul>${items}</ul></section>`;
}

function toAbsent({ absent }: Report): string {
  if (absent.length === 0) return "";
  const items = absent.map((way) => `<li><b>${escapeHtml(way.title)}</b>: ${escapeHtml(toReason(way))}</li>`).join("");
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

/** On a phone each row becomes a block with a line for each way, hence the label of each cell. */
function toTable(ways: readonly MeasuredWay[], rows: readonly Row[], kind = ""): string {
  const head = ways
    .map(({ title, id }) => `<th scope="col"><a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></th>`)
    .join("");
  const body = rows.map(({ label, cells }) => {
    const data = cells.map((lines, index) => {
      const mark = markClasses[lines[0] ?? ""];
      return `<td data-way="${escapeHtml(ways[index]?.title ?? "")}"${mark ? ` class="${mark}"` : ""}><span>${lines.map(escapeHtml).join("<br>")}</span></td>`;
    });
    return `<tr><th scope="row">${escapeHtml(label)}</th>${data.join("")}</tr>`;
  });
  return `<table class="${kind}"><thead><tr><td></td>${head}</tr></thead><tbody>${body.join("\n")}</tbody></table>`;
}

function toWay(way: MeasuredWay, recording: Recording | undefined, headersTitle: string): string {
  const { id, title, endpoint, revision, verdicts, uniqueHeaders, sequence, remarks } = way;
  const evidence = verdicts.map(
    ({ feature, mark, evidence: text }) =>
      `<li><span class="${markClasses[mark]}">${mark}</span> <b>${features[feature]}</b> <code>${escapeHtml(text)}</code></li>`,
  );
  const headers = uniqueHeaders.map(
    ({ name, side, count, of, example }) =>
      `<li>${side} <code>${escapeHtml(name)}: ${escapeHtml(example)}</code> on ${count} of ${of}</li>`,
  );
  return `<article id="${escapeHtml(id)}">
<h3>${escapeHtml(title)}</h3>
<p class="endpoint"><code>${escapeHtml(endpoint)}</code>${revision === undefined ? "" : ` revision ${escapeHtml(revision)}`}</p>
${remarks.map((remark) => `<p class="note">${escapeHtml(remark)}</p>`).join("")}
${evidence.length > 0 ? `<h4>Features and their evidence</h4><ul class="evidence">${evidence.join("")}</ul>` : ""}
${headers.length > 0 ? `<h4>${headersTitle}</h4><ul>${headers.join("")}</ul>` : ""}
<h4>Sequence</h4>
<div class="sequence"><div class="ends"><b>client</b><b>server</b></div>${sequence.map(toPart).join("")}</div>
<h4>Every exchange</h4>
${(recording?.exchanges ?? []).map(toExchange).join("\n")}${(recording?.lines ?? []).map(toLine).join("\n")}
</article>`;
}

function toPart({ title, arrows }: SequencePart): string {
  return `<div class="part">${escapeHtml(title)}</div>${arrows.map(toArrow).join("")}`;
}

function toArrow({ at, from, number, carrier, words, bytes }: Arrow): string {
  const size = bytes === undefined ? "" : `${toBytes(bytes)} B`;
  const meta = [toMs(at), size].filter(Boolean).join(" · ");
  const told = `<i>#${number}</i> ${words === "" ? "" : `<b>${escapeHtml(words)}</b> `}${escapeHtml(carrier)}`;
  return `<div class="arrow ${from}"><div class="label">${told} <small>${meta}</small></div><div class="shaft"></div></div>`;
}

function toExchange({ number, connection, startedAt, endedAt, request, response }: HttpExchange): string {
  const took = endedAt === undefined ? "" : `, ${toMs(endedAt - startedAt)}`;
  const summary = `#${number} ${request.verb} ${request.target} → ${response?.status ?? "no answer"}`;
  const heads = (headers: readonly (readonly [string, string])[]): string =>
    headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  const answer = response
    ? `HTTP ${response.status}\n${heads(response.headers)}\n\n${response.events ? response.events.map((event) => `+ ${toMs(event.at - startedAt)}  event: ${event.event}\n${pretty(event.data)}`).join("\n") : pretty(response.body)}`
    : "";
  return `<details><summary>${escapeHtml(summary)} <small>connection ${connection}${took}</small></summary>
<pre>${escapeHtml(`${request.verb} ${request.target}\n${heads(request.headers)}\n\n${pretty(request.body)}`.trim())}</pre>
<pre class="answer">${escapeHtml(answer.trim())}</pre></details>`;
}

function toLine({ number, sender, bytes, text }: StdioLine): string {
  const arrow = sender === "client" ? "→" : "←";
  return `<details><summary>#${number} ${arrow} <small>${toBytes(bytes)} bytes</small></summary><pre${sender === "server" ? ' class="answer"' : ""}>${escapeHtml(pretty(text))}</pre></details>`;
}

function pretty(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Shown as it came.
  }
  return shown.length > maxShown ? `${shown.slice(0, maxShown)}\n… ${shown.length - maxShown} characters more` : shown;
}

function withStrong(html: string): string {
  return html.replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>");
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
