// Turns a callback argument into the member `handler` of the options before it.
import type { Expression, ObjectExpression } from "@babel/types";
import { endOf, type SourceFile, startOf } from "../source/source-file.ts";
import { type FunctionNode, isFunction } from "../source/syntax.ts";
import type { OfficialFile } from "./official-file.ts";

/** Moves a callback that follows an object of options into it: `{ a }, callback` becomes `{ a, handler: callback }`. */
export function joinHandler(official: OfficialFile, options: Expression, handler: Expression, more = ""): void {
  const { file } = official;
  if (options.type === "ObjectExpression") {
    const { before, after } = spacing(official, options);
    const last = options.properties.at(-1);
    const separator = last ? `,${before}` : " ";
    const members = more === "" ? "" : `${more},${before}`;
    file.replaceBetween(last ? endOf(last) : startOf(options) + 1, startOf(handler), `${separator}${members}handler: `);
    file.insertAfter(handler, `${after}}`);
    return;
  }
  file.insertBefore(options, "{ ...");
  file.replaceBetween(endOf(options), startOf(handler), `, ${more === "" ? "" : `${more}, `}handler: `);
  file.insertAfter(handler, " }");
}

/** White space that continues the style of an object literal. */
function spacing({ file }: OfficialFile, options: ObjectExpression): { before: string; after: string } {
  const text = file.textOf(options);
  const last = options.properties.at(-1);
  if (!last || !text.includes("\n")) return { before: " ", after: " " };
  return { before: `\n${indentOf(file.text, startOf(last))}`, after: `\n${indentOf(file.text, endOf(options) - 1)}` };
}

/** The white space at the start of the line of a position. */
function indentOf(text: string, position: number): string {
  const line = text.slice(text.lastIndexOf("\n", position - 1) + 1, position);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Keeps the messages of errors visible for clients, unless the author does not want that. */
export function wrapHandler({ file, exposeErrors }: OfficialFile, handler: Expression): void {
  if (!exposeErrors) return;
  file.import("@lethe/server", "exposeErrors");
  file.insertBefore(handler, "exposeErrors(");
  file.insertAfter(handler, ")");
}

/**
 * Handlers of Lethe always get the arguments first. Adds that parameter to a callback without it, and the context where the migrated
 * code needs it.
 */
export function completeParameters(official: OfficialFile, handler: Expression, hasArguments: boolean): void {
  const { file, variables, handlers } = official;
  const isNamed = handler.type === "Identifier";
  const fn = isNamed ? variables.get(handler.name) : handler;
  if (!isFunction(fn)) {
    if (isNamed && !hasArguments) wrapNamed(file, handler);
    return;
  }
  const known = handlers.get(fn);
  const needsContext = known?.needsContext === true;
  if (isNamed && !hasArguments) {
    if (needsContext) insertParameters(file, fn, { last: ["ctx"] });
    if (fn.params.length > 0 || needsContext) wrapNamed(file, handler);
    return;
  }
  const first = !hasArguments && (fn.params.length > 0 || needsContext) ? ["_args"] : [];
  const missing = needsContext ? (known?.contextIndex ?? 1) - fn.params.length : 0;
  const placeholders = Array.from({ length: Math.max(0, missing) }, (_, index) => `_${index + 1}`);
  insertParameters(file, fn, { first, last: needsContext ? [...placeholders, "ctx"] : [] });
}

/** A function that is used elsewhere keeps its parameters. */
function wrapNamed(file: SourceFile, handler: Expression): void {
  file.insertBefore(handler, "(_args, ctx) => ");
  file.insertAfter(handler, "(ctx)");
}

interface NewParameters {
  readonly first?: readonly string[];
  readonly last?: readonly string[];
}

function insertParameters(file: SourceFile, fn: FunctionNode, { first = [], last = [] }: NewParameters): void {
  if (first.length + last.length === 0) return;
  const begin = fn.params[0];
  const end = fn.params.at(-1);
  if (!begin || !end) {
    file.edits.appendLeft(file.text.indexOf("(", startOf(fn)) + 1, [...first, ...last].join(", "));
    return;
  }
  const isBare = fn.type === "ArrowFunctionExpression" && !file.text.slice(startOf(fn), startOf(begin)).includes("(");
  file.insertBefore(begin, `${isBare ? "(" : ""}${first.map((name) => `${name}, `).join("")}`);
  file.insertAfter(end, `${last.map((name) => `, ${name}`).join("")}${isBare ? ")" : ""}`);
}
