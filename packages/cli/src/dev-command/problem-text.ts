// An error with its place, the line of the source, and the calls that led to it.
import { relative } from "node:path";
import type { Place, Problem } from "@lethe/dev";
import { toPrintable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

/** Characters of a line of source that are shown. */
const maxWidth = 120;

export function toProblemText({ text, place, trace = [] }: Problem, style: Style): string {
  const [first = "", ...more] = toPrintable(text).split("\n");
  const where = place ? `${style.bold(`${relative(process.cwd(), place.file)}:${place.line}:${place.column}`)} ` : "";
  return [
    `${style.red("error")} ${where}${first}`,
    ...more.map((line) => `  ${line}`),
    ...(place ? toFrame(place, style) : []),
    ...trace.map((line) => style.dim(`  ${toPrintable(line)}`)),
  ].join("\n");
}

function toFrame({ line, column, length = 1, lineText }: Place, style: Style): string[] {
  const start = Math.max(0, column - maxWidth);
  const shown = toPrintable(lineText.slice(start, start + maxWidth).replaceAll("\t", " "));
  const number = String(line);
  const underline = "^".repeat(Math.max(1, Math.min(length, shown.length - (column - 1 - start))));
  return [
    `  ${style.dim(`${number} |`)} ${shown}`,
    `  ${style.dim(`${" ".repeat(number.length)} |`)} ${" ".repeat(Math.max(0, column - 1 - start))}${style.red(underline)}`,
  ];
}
