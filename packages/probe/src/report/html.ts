// Renders reports of the probe as one HTML page: the conclusion, what follows for a gateway, and the evidence step by step.
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { type Environment, toEnvironmentText, toMinuteText } from "../html/environment.ts";
import { toHtmlPage } from "../html/page.ts";
import { escapeHtml, printable, toWhole } from "../html/text.ts";
import type { EraVerdict } from "../verdict/era-verdict.ts";
import { conclude, concludeAll, nameOf } from "./conclusion.ts";
import type { Evidence } from "./evidence.ts";
import { probeCss } from "./html-style.ts";
import type { ProbeReport } from "./report.ts";
import { type Fact, toFacts } from "./sentences.ts";

/** Options of `toHtml`. */
export interface HtmlOptions {
  /** When the servers were probed, in ms since 1970. Default: now. */
  time?: number;
  /** The machine and the versions. Default: not shown. */
  environment?: Environment;
}

const knownHtmlOptions: KnownOptions<HtmlOptions> = { time: true, environment: true };

/**
 * Renders reports as one HTML page without scripts and external files, in a light and a dark theme, for screens and for paper.
 *
 * @example
 * await writeFile("probe.html", toHtml([await probe({ url: "http://localhost:3000/mcp" })]));
 */
export function toHtml(reports: readonly ProbeReport[], options: HtmlOptions = {}): string {
  checkOptions("toHtml", options, knownHtmlOptions);
  const { time = Date.now(), environment } = options;
  const isAlone = reports.length === 1;
  const [only] = reports;
  const sections = reports.map((report, index) => ({ id: `server-${index + 1}`, title: nameOf(report), report }));
  return toHtmlPage({
    title: isAlone && only ? `Probe of ${only.target.address}` : "Probe of several servers",
    heading: concludeAll(reports),
    method: [...toMethod(reports, time), ...(environment ? [toEnvironmentText(environment)] : [])],
    contents: isAlone ? [] : sections,
    sections: [
      ...(isAlone ? [] : [toSummary(sections)]),
      ...sections.map(({ id, report }) => toSection(report, id, isAlone)),
      `<p class="caution">${escapeHtml(only?.caution ?? "")}</p>`,
    ],
    css: probeCss,
  });
}

function toMethod(reports: readonly ProbeReport[], time: number): string[] {
  const requests = reports.reduce((sum, report) => sum + report.requests, 0);
  const most = Math.max(0, ...reports.map(({ ms }) => ms));
  const sent = `${requests} ${requests === 1 ? "request" : "requests"} in ${toSeconds(most)}, no tool was called.`;
  return [`Probed on ${toMinuteText(time)}.`, requests === 0 ? "No request was sent." : sent];
}

function toSummary(sections: readonly { id: string; title: string; report: ProbeReport }[]): string {
  const rows = sections.map(({ id, title, report }) => {
    const { word, confidence, transport, advice } = report;
    const cells = [
      ["verdict", toVerdict(word)],
      ["confidence", word === "UNKNOWN" ? "–" : confidence],
      ["transport", transport ?? "–"],
      ["for a gateway", toPlain(advice.text)],
    ] as const;
    const data = cells.map(([label, cell]) => `<td data-label="${label}"><span>${cell}</span></td>`).join("");
    return `<tr><th scope="row"><a href="#${id}">${toPlain(title)}</a></th>${data}</tr>`;
  });
  const heads = ["Server", "Verdict", "Confidence", "Transport", "For a gateway"];
  return `<section aria-label="Summary">${toTable("summary", heads, rows)}</section>`;
}

function toSection(report: ProbeReport, id: string, isAlone: boolean): string {
  const title = isAlone
    ? ""
    : `<h2>${toPlain(conclude(report))}</h2><p><code>${toPlain(report.target.address)}</code></p>`;
  const { advice, evidence } = report;
  const remedy = report.problem ? `<li><strong>${toPlain(report.problem.advice)}</strong></li>` : "";
  const heading = isAlone ? "h2" : "h3";
  const told = new Set(["gateway", "modern era", "legacy era", "why"]);
  const facts = toFacts(report).filter((fact) => !told.has(fact.title));
  return `<article id="${id}">
${title}
<section class="advice"><${heading}>What to do</${heading}><ul>${remedy}<li>For a gateway: <strong>${toPlain(advice.text)}</strong>.</li></ul></section>
<section><${heading}>Verdict</${heading}>${toEras(report, id)}</section>
${facts.length === 0 ? "" : `<section><${heading}>What was found</${heading}><dl class="facts">${facts.map((fact) => toFact(fact, id)).join("\n")}</dl></section>`}
${evidence.length === 0 ? "" : `<section><${heading}>Evidence, step by step</${heading}><ol class="steps">${evidence.map((step) => toStep(step, id)).join("\n")}</ol></section>`}
</article>`;
}

const eraNames = { modern: "2026-07-28 (modern)", legacy: "older revisions (legacy)" } as const;

function toEras({ eras, decidedBy, era: decisive }: ProbeReport, id: string): string {
  if (decidedBy === "configuration") return "<p>The configuration states it. No request was sent.</p>";
  const rows = (["modern", "legacy"] as const).map((name) => {
    const era = eras[name];
    const cells = [
      ["spoken", toSpoken(era)],
      ["verdict", `${era.isSpoken ? toVerdict(era.word) : "–"}${name === decisive ? " <small>decides</small>" : ""}`],
      ["revisions", era.revisions.map(toWhole).join(", ") || "–"],
      [
        "sessions",
        era.contract === undefined ? "–" : toPlain(`${era.contract}${era.isChecked ? ", ids checked" : ""}`),
      ],
      ["confidence", era.isSpoken === null ? "–" : era.confidence],
    ] as const;
    const data = cells.map(([label, cell]) => `<td data-label="${label}"><span>${cell}</span></td>`).join("");
    return `<tr><th scope="row">${eraNames[name]}</th>${data}</tr>`;
  });
  const reasons = (["modern", "legacy"] as const).flatMap((name) => toReasons(eras[name], id));
  const list = reasons.length === 0 ? "" : `<ul class="reasons">${reasons.join("")}</ul>`;
  return `${toTable("eras", ["Era", "Spoken", "Verdict", "Revisions", "Sessions", "Confidence"], rows)}${list}`;
}

function toReasons({ reasons, problem }: EraVerdict, id: string): string[] {
  const items = reasons.map(({ text, exchanges }) => `<li>${toPlain(text)}${toLinks(exchanges, id)}</li>`);
  const { message = "", exchange } = problem ?? {};
  const exchanges = exchange === undefined ? [] : [exchange];
  return problem ? [...items, `<li class="note">${toPlain(message)}${toLinks(exchanges, id)}</li>`] : items;
}

function toLinks(exchanges: readonly number[], id: string): string {
  return exchanges.map((number) => ` <a href="#${id}-step-${number}">#${number}</a>`).join("");
}

function toSpoken({ isSpoken }: EraVerdict): string {
  if (isSpoken === null) return '<span class="off">unknown</span>';
  return isSpoken ? '<span class="yes">yes</span>' : '<span class="off">no</span>';
}

function toVerdict(word: ProbeReport["word"]): string {
  const kind = { STATELESS: "yes", STATEFUL: "stateful", UNKNOWN: "off" }[word];
  return `<span class="${kind}">${word}</span>`;
}

/** Numbers in brackets link to steps. */
function toFact({ title, text, details }: Fact, id: string): string {
  const linked = (sentence: string): string =>
    toPlain(sentence).replace(/\[((?:\d+(?:, )?)+)\]$/, (_, numbers: string) =>
      toLinks(numbers.split(", ").map(Number), id).trim(),
    );
  const more = details.map((detail) => `<li>${linked(detail)}</li>`).join("");
  return `<div><dt>${toPlain(title)}</dt><dd>${linked(text)}${more === "" ? "" : `<ul>${more}</ul>`}</dd></div>`;
}

/** The anchor is on the element that opens, because browsers then open it when a link is followed. */
function toStep({ number, what, answer, address, via, sessionId, headers, body, ms }: Evidence, id: string): string {
  const told = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const sent = [`${via} ${address}`, ...(sessionId === undefined ? [] : [`session ${sessionId}`])];
  const heard = [...told, ...(body === "" ? [] : [body])];
  const shown = heard.length === 0 ? "" : `<pre class="answer">${toLines(heard)}</pre>`;
  return `<li><details><summary><span class="number">#${number}</span> <span class="what">${toPlain(what)}</span> <span class="said">${toPlain(answer)}</span> <small>${toMilliseconds(ms)}</small></summary><div id="${id}-step-${number}"><pre>${toLines(sent)}</pre>${shown}</div></details></li>`;
}

function toTable(kind: string, heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((title) => `<th scope="col">${title}</th>`).join("");
  return `<table class="${kind}"><thead><tr>${head}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function toLines(lines: readonly string[]): string {
  return lines.map((line) => escapeHtml(printable(line))).join("\n");
}

function toPlain(text: string): string {
  return toWhole(printable(text));
}

function toMilliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

function toSeconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
