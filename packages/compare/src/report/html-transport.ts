// Renders one transport as HTML: evidence, sequence diagram and expandable exchanges.
import { escapeHtml, toWhole } from "@lethe/probe/html";
import type { HttpExchange, Recording, StdioLine } from "../record/recording.ts";
import { features } from "../script/script.ts";
import { toAnchor, toLinked } from "./html-text.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import { type Arrow, describeMessages, type SequencePart } from "./sequence.ts";
import { toBytes, toMs } from "./table.ts";

/** Characters shown of one body or event. The JSON report contains all of them. */
const maxShown = 4_000;

export const markClasses: Readonly<Record<string, string>> = { "✓": "yes", "✗": "no", "—": "off" };

export function toTransportSection(
  transport: MeasuredTransport,
  recording: Recording | undefined,
  headersTitle: string,
): string {
  const { id, title, endpoint, revision, verdicts, uniqueHeaders, sequence, remarks } = transport;
  const evidence = verdicts.map(
    ({ feature, mark, evidence: text }) =>
      `<li><span class="${markClasses[mark]}">${mark}</span> <b>${features[feature]}</b> <span class="proof">${toLinked(text, id)}</span></li>`,
  );
  const headers = uniqueHeaders.map(
    ({ name, side, count, of, example }) =>
      `<li>${side} <code>${escapeHtml(name)}: ${escapeHtml(example)}</code> on ${count} of ${of}</li>`,
  );
  const exchanges = (recording?.exchanges ?? []).map((exchange) => toExchange(exchange, id));
  const lines = (recording?.lines ?? []).map((line) => toLine(line, id));
  return `<article id="${escapeHtml(id)}">
<h3>${toWhole(title)}</h3>
<p class="endpoint"><code>${escapeHtml(endpoint)}</code>${revision === undefined ? "" : ` revision ${toWhole(revision)}`}</p>
${remarks.map((remark) => `<p class="note">${escapeHtml(remark)}</p>`).join("")}
${evidence.length > 0 ? `<h4>Features and their evidence</h4><ul class="evidence">${evidence.join("")}</ul>` : ""}
${headers.length > 0 ? `<h4>${headersTitle}</h4><ul>${headers.join("")}</ul>` : ""}
<h4>Sequence</h4>
<div class="sequence"><div class="ends" aria-hidden="true"><b>client</b><b>server</b></div>${sequence.map((part) => toPart(part, id)).join("")}</div>
<h4>${lines.length > 0 ? "Every line" : "Every exchange"}</h4>
${[...exchanges, ...lines].join("\n")}
</article>`;
}

function toPart({ title, arrows }: SequencePart, id: string): string {
  const items = arrows.map((arrow) => toArrow(arrow, id)).join("");
  return `<div class="part">${escapeHtml(title)}</div><ol>${items}</ol>`;
}

function toArrow({ at, from, number, carrier, words, bytes }: Arrow, id: string): string {
  const size = bytes === undefined ? "" : `${toBytes(bytes)} B`;
  const meta = [toMs(at), size].filter(Boolean).join(" · ");
  const link = `<a href="#${escapeHtml(toAnchor(id, number))}">#${number}</a>`;
  const label = `${words === "" ? "" : `<b>${escapeHtml(words)}</b> `}${toWhole(carrier)}`;
  return `<li class="arrow ${from}"><div class="label"><span class="spoken">from the ${from}: </span>${link} ${label} <small>${meta}</small></div><div class="shaft"></div></li>`;
}

/** The anchor is inside the element, because browsers then open it when a link is followed. */
function toDetails(anchor: string, summary: string, parts: readonly string[]): string {
  return `<details><summary>${summary}</summary><div id="${escapeHtml(anchor)}">${parts.join("\n")}</div></details>`;
}

function toExchange({ number, connection, startedAt, endedAt, request, response }: HttpExchange, id: string): string {
  const took = endedAt === undefined ? "" : `, ${toMs(endedAt - startedAt)}`;
  const words = [request.verb, request.target, describeMessages(request.body), "→", response?.status ?? "no answer"];
  const summary = `#${number} ${words.filter(Boolean).join(" ")}`;
  const heads = (headers: readonly (readonly [string, string])[]): string =>
    headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  const content = response?.events
    ? response.events
        .map((event) => `+ ${toMs(event.at - startedAt)}  event: ${event.event}\n${pretty(event.data)}`)
        .join("\n")
    : pretty(response?.body ?? "");
  const sent = `${request.verb} ${request.target}\n${heads(request.headers)}\n\n${pretty(request.body)}`;
  const answer = response ? `HTTP ${response.status}\n${heads(response.headers)}\n\n${content}` : "";
  return toDetails(toAnchor(id, number), `${escapeHtml(summary)} <small>connection ${connection}${took}</small>`, [
    `<pre>${escapeHtml(sent.trim())}</pre>`,
    `<pre class="answer">${escapeHtml(answer.trim())}</pre>`,
  ]);
}

function toLine({ number, at, sender, bytes, text }: StdioLine, id: string): string {
  const arrow = sender === "client" ? "→" : "←";
  const summary = `#${number} ${arrow} ${escapeHtml(describeMessages(text) || `from the ${sender}`)} <small>${toMs(at)}, ${toBytes(bytes)} bytes</small>`;
  const body = `<pre${sender === "server" ? ' class="answer"' : ""}>${escapeHtml(pretty(text))}</pre>`;
  return toDetails(toAnchor(id, number), summary, [body]);
}

function pretty(text: string): string {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Text that is not JSON is shown unchanged.
  }
  return shown.length > maxShown ? `${shown.slice(0, maxShown)}\n… ${shown.length - maxShown} more characters` : shown;
}
