// The report for a terminal: what to choose and why, on one screen. Every exchange is in the other formats.
import { features } from "../script/script.ts";
import { toGaps } from "./gaps.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import { toArrowText, toOneLine } from "./plain-text.ts";
import type { ProbeFindings } from "./probe-findings.ts";
import { type Report, toReason, toTitle } from "./report.ts";
import { toBytes, toMatrix, toMs } from "./table.ts";

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
}

export interface TextOptions {
  /** Default: no colour. */
  paint?: Paint;
  /** In columns, for sentences; default 100. */
  width?: number;
}

const painted = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
const plain: Paint = { bold: same, dim: same, red: same, green: same };

export function toText(report: Report, { paint = plain, width = 100 }: TextOptions = {}): string {
  const { transports, script, recommendation, unavailable, findings } = report;
  // Cleaned before it is painted: what servers say gets no colour of its own.
  const lines = (texts: readonly string[]): string => texts.map((text) => wrapText(text, width)).join("\n");
  const parts = [
    `${paint.bold(toOneLine(toTitle(report)))}\n${paint.dim(`script: ${toOneLine(script)}`)}`,
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

/** What it is; the details are in the other formats. */
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
  ["sent", ({ measures }) => toBytes(measures.bytesUp)],
  ["received", ({ measures }) => toBytes(measures.bytesDown)],
  ["first result", ({ measures }) => toMs(measures.firstResultMs) || "–"],
];

/** One line for each transport, whose number stands for it below. */
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

/** What a session hangs on; how often is in the other formats. */
function toSessionWord(session: string): string {
  return session.replace(/ (?:on|of) \d+ of \d+ requests$/, "").replace(/^session id | is the session$/, "");
}

/** Of recorded traffic that is all there is: nothing was tried. */
function toTraffic(transports: readonly MeasuredTransport[], paint: Paint): string {
  const [transport] = transports;
  if (transports.length !== 1 || !transport || transport.verdicts.length > 0) return "";
  const lines = transport.sequence.flatMap(({ arrows }) => arrows.map(toArrowText));
  return lines.length === 0 ? paint.bold("nothing came") : lines.join("\n");
}

/** What holds for several transports is said once. */
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

/** The separator of thousands is a character like any other. */
function lengthOf(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - lengthOf(text))) + text;
}

function toStrong(sentence: string, paint: Paint): string {
  return sentence.replace(/\*\*(.+?)\*\*/g, (_all, text: string) => paint.bold(text));
}

/** Lines of at most `width`, unless a word is longer; those after the first are indented. */
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

/** Without what only paints. */
function visible(text: string): number {
  return lengthOf(text.replace(painted, ""));
}
