// Renders the report for a terminal, on about one screen. The other formats contain every exchange.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { features } from "../script/script.ts";
import { toGaps } from "./gaps.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import { toArrowText, toOneLine } from "./plain-text.ts";
import type { ProbeFindings } from "./probe-findings.ts";
import { type Report, toReason, toTitle } from "./report.ts";
import { toBytes, toMatrix, toMs, toRange } from "./table.ts";

/** Functions that style text for a terminal. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
}

/** Options of `toText`. */
export interface TextOptions {
  /** Styles for the terminal. Default: plain text. */
  paint?: Paint;
  /** Line width of sentences, in columns. Default 100. */
  width?: number;
}

const knownTextOptions: KnownOptions<TextOptions> = { paint: true, width: true };

const escapeSequence = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
const plain: Paint = { bold: same, dim: same, red: same, green: same };

/** Renders a report for a terminal. Text from servers is cleaned of control characters. */
export function toText(report: Report, options: TextOptions = {}): string {
  checkOptions("toText", options, knownTextOptions);
  const { paint = plain, width = 100 } = options;
  const { transports, conclusion, method, recommendation, unavailable, findings } = report;
  // Text from servers is cleaned before styles are applied, so that it cannot add its own.
  const lines = (texts: readonly string[]): string => texts.map((text) => wrapText(text, width)).join("\n");
  const parts = [
    lines([paint.bold(toOneLine(conclusion ?? toTitle(report)))]),
    lines(method.map((sentence) => paint.dim(toOneLine(sentence)))),
    toCosts(transports, paint),
    toTraffic(transports, paint),
    toMarks(transports, paint),
    lines(recommendation.map((sentence) => toStrong(toOneLine(sentence), paint))),
    lines(toFailures(transports).map((failure) => toOneLine(failure).replace(/^✗/, paint.red))),
    lines(
      unavailable.map(
        (transport) => `${paint.bold("unavailable:")} ${toOneLine(`${transport.title}: ${toReason(transport)}`)}`,
      ),
    ),
    lines(findings.flatMap((one) => toFindingsLines(one, paint))),
    lines(toNotes(transports).map((note) => `${paint.bold("note:")} ${note}`)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Shows the verdict and the facts. The other formats contain the details. */
function toFindingsLines({ address, word, facts }: ProbeFindings, paint: Paint): string[] {
  const told = facts.filter(({ title }) => title !== "server").map(({ title, text }) => toOneLine(`${title}: ${text}`));
  return [`${paint.bold("probe:")} ${toOneLine(address)} is ${word}`, ...told.map((text) => `  ${text}`)];
}

function same(text: string): string {
  return text;
}

type Column = readonly [title: string, of: (transport: MeasuredTransport) => string];

const columns: readonly Column[] = [
  ["requests", ({ measures }) => String(measures.sent)],
  ["streams", ({ measures, kind }) => (kind === "http" ? String(measures.longLived.length) : "–")],
  ["sent (B)", ({ measures }) => toBytes(measures.bytesUp)],
  ["received (B)", ({ measures }) => toBytes(measures.bytesDown)],
  ["first result", ({ measures }) => toFirstResult(measures)],
];

/** "20 ms", or "20 ms (18 to 24 ms)" of several runs. */
function toFirstResult({ firstResultMs, firstResults }: MeasuredTransport["measures"]): string {
  const range = toRange(firstResults)?.replace(/ in .*/, "");
  return range === undefined ? toMs(firstResultMs) || "–" : `${toMs(firstResultMs)} (${range})`;
}

/** One line for each transport. Its number represents it in the feature table. */
function toCosts(transports: readonly MeasuredTransport[], paint: Paint): string {
  if (transports.length === 0) return "";
  const titles = transports.map(({ title }, index) => `${index + 1}  ${toOneLine(title)}`);
  const first = Math.max(...titles.map(lengthOf));
  const cells = columns.map(([title, of]) => {
    const texts = transports.map(of);
    const width = Math.max(...[title, ...texts].map(lengthOf));
    return { title: pad(title, width), texts: texts.map((text) => pad(text, width)) };
  });
  const head = [" ".repeat(first), ...cells.map(({ title }) => title), "session"].join("  ");
  const rows = transports.map(({ measures }, index) =>
    [
      (titles[index] ?? "").padEnd(first),
      ...cells.map(({ texts }) => texts[index] ?? ""),
      toSessionWord(measures.session),
    ].join("   "),
  );
  return [paint.dim(head), ...rows].join("\n");
}

/** Shortens the description of a session. The other formats contain the counts. */
function toSessionWord(session: string): string {
  return session.replace(/ (?:on|of) \d+ of \d+ requests$/, "").replace(/^session id | is the session$/, "");
}

/** The sequence of recorded traffic, in which no feature was tried. */
function toTraffic(transports: readonly MeasuredTransport[], paint: Paint): string {
  const [transport] = transports;
  if (transports.length !== 1 || !transport || transport.verdicts.length > 0) return "";
  const lines = transport.sequence.flatMap(({ arrows }) => arrows.map(toArrowText));
  return lines.length === 0 ? paint.bold("no traffic was recorded") : lines.join("\n");
}

/** Combines equal remarks of several transports. */
function toNotes(transports: readonly MeasuredTransport[]): string[] {
  const titles = new Map<string, string[]>();
  for (const { title, remarks } of transports) {
    for (const remark of remarks) titles.set(remark, [...(titles.get(remark) ?? []), title]);
  }
  return [...titles].map(([remark, of]) => toOneLine(`${of.join("; ")}: ${remark}`));
}

function toMarks(transports: readonly MeasuredTransport[], paint: Paint): string {
  const rows = toMatrix(transports);
  if (rows.length === 0) return "";
  const first = Math.max(...rows.map(({ label }) => label.length));
  const head = paint.dim(
    `${" ".repeat(first)}   ${transports.map((_transport, index) => String(index + 1)).join("  ")}`,
  );
  const paints: Readonly<Record<string, (text: string) => string>> = { "✓": paint.green, "✗": paint.red };
  const colour = (mark: string): string => (paints[mark] ?? paint.dim)(mark);
  const body = rows.map(
    ({ label, cells }) => `${label.padEnd(first)}   ${cells.map(([mark = ""]) => colour(mark)).join("  ")}`,
  );
  return [head, ...body].join("\n");
}

function toFailures(transports: readonly MeasuredTransport[]): string[] {
  return toGaps(transports).map(({ mark, feature, evidence, transports: of }) => {
    const numbers = of.map((index) => index + 1).join(", ");
    return `${mark} ${numbers}  ${features[feature]}: ${evidence}`;
  });
}

/** Counts code points, not UTF-16 code units. */
function lengthOf(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - lengthOf(text))) + text;
}

function toStrong(sentence: string, paint: Paint): string {
  return sentence.replace(/\*\*(.+?)\*\*/g, (_all, text: string) => paint.bold(text));
}

/** Wraps text at `width` columns and indents all lines after the first. Longer words are not split. */
function wrapText(text: string, width: number): string {
  const [indent = ""] = /^ */.exec(text) ?? [];
  const [first = "", ...words] = text.trimStart().split(" ");
  const lines = [indent + first];
  for (const word of words) {
    const last = lines.at(-1) ?? "";
    if (visible(last) + 1 + visible(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}    ${word}`);
  }
  return lines.join("\n");
}

/** The width without escape sequences. */
function visible(text: string): number {
  return lengthOf(text.replace(escapeSequence, ""));
}
