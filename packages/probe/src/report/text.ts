// Formats a report for a terminal.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { printable } from "../html/text.ts";
import type { Word } from "../verdict/era-verdict.ts";
import type { ProbeReport } from "./report.ts";
import { toFacts } from "./sentences.ts";

/** Functions that colour text. The default adds no colour. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

/** Options of `toText`. */
export interface TextOptions {
  /** Styles for the terminal. Default: plain text. */
  paint?: Paint;
  /** Columns at which lines wrap between words. Default 100. */
  width?: number;
  /** Whether to list every exchange. Default true. */
  hasEvidence?: boolean;
}

const knownTextOptions: KnownOptions<TextOptions> = { paint: true, width: true, hasEvidence: true };

const same = (text: string) => text;
const noPaint: Paint = { bold: same, dim: same, red: same, green: same, yellow: same };
const indent = 2;
const titleWidth = 14;
/** Widths in the line of an exchange, in columns: the request, and everything except request and answer. */
const minWhat = 12;
const maxWhat = 44;
const besides = 16;

/** Renders a report for a terminal. Text from the server is cleaned of control characters. */
export function toText(report: ProbeReport, options: TextOptions = {}): string {
  checkOptions("toText", options, knownTextOptions);
  const { paint = noPaint, width = 100, hasEvidence = true } = options;
  const { target, word, confidence, decidedBy } = report;
  const source = decidedBy === "behaviour" ? "" : paint.dim(`, by ${decidedBy}`);
  const sure = word === "UNKNOWN" ? "" : paint.dim(`, confidence ${confidence}`);
  const name = target.name === undefined ? "" : `${paint.bold(target.name)}  `;
  const lines = [`${colourOf(word, paint)(paint.bold(word))}  ${name}${target.address}${source}${sure}`, ""];
  const left = " ".repeat(indent + titleWidth);
  for (const { title, text, details } of toFacts(report)) {
    const head = `${" ".repeat(indent)}${title.padEnd(titleWidth)}`;
    wrap(text, width - head.length).forEach((line, index) => {
      lines.push(index === 0 ? `${paint.bold(head)}${line}` : left + line);
    });
    for (const detail of details) {
      wrap(detail, width - left.length - 2).forEach((line, index) => {
        lines.push(`${left}${paint.dim(`${index === 0 ? "·" : " "} ${line}`)}`);
      });
    }
  }
  lines.push("", ...wrap(report.caution, width - indent).map((line) => " ".repeat(indent) + line), "");
  if (hasEvidence) lines.push(...toEvidenceLines(report, paint, width));
  return `${lines.join("\n")}\n`;
}

function toEvidenceLines({ evidence, requests, ms }: ProbeReport, paint: Paint, width: number): string[] {
  const lines = [paint.bold(`  Evidence: ${requests} requests in ${Math.round(ms)} ms`)];
  const answerWidth = Math.max(0, ...evidence.map(({ answer }) => answer.length));
  const room = Math.max(minWhat, width - answerWidth - besides);
  const whatWidth = Math.min(maxWhat, room, Math.max(0, ...evidence.map(({ what }) => what.length)));
  for (const { number, what, answer, body, sessionId, headers, ms: took } of evidence) {
    const time = `${Math.round(took)} ms`.padStart(7);
    lines.push(
      `  ${String(number).padStart(2)}  ${clip(what, room).padEnd(whatWidth)}  ${answer.padEnd(answerWidth)} ${paint.dim(time)}`,
    );
    const sent = sessionId === undefined ? [] : [`sent session ${sessionId}`];
    const told = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    if (told.length + sent.length > 0) lines.push(paint.dim(`      ${clip([...sent, ...told].join("; "), width - 6)}`));
    if (body !== "") lines.push(paint.dim(`      ${clip(body, width - 6)}`));
  }
  return lines;
}

/** Returns the color of a verdict: green for STATELESS, yellow for STATEFUL, red for UNKNOWN. */
export function colourOf(word: Word, paint: Paint): (text: string) => string {
  if (word === "STATELESS") return paint.green;
  return word === "STATEFUL" ? paint.yellow : paint.red;
}

/** Returns one line without control characters. */
function clip(text: string, length: number): string {
  const line = printable(text);
  return line.length > length ? `${line.slice(0, Math.max(0, length - 1))}…` : line;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of printable(text).split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
