// One source file during its migration: the text, the syntax tree, the edits so far, and what a person has to do.
import { parse } from "@babel/parser";
import type { File, Node } from "@babel/types";
import MagicString from "magic-string";

/** Something that the migration leaves to a person. */
export interface Finding {
  /** The first line is 1. */
  readonly line: number;
  readonly message: string;
}

export class SourceFile {
  readonly text: string;
  readonly ast: File;
  readonly edits: MagicString;
  readonly findings: Finding[] = [];
  /** The names to import, by module. */
  readonly imports: Map<string, Set<string>> = new Map();
  private readonly replaced: { start: number; end: number }[] = [];

  /** Throws a SyntaxError with `loc` if the text is not JavaScript or TypeScript. */
  constructor(text: string, path: string) {
    this.text = text;
    const plugins = /\.[cm]?tsx?$/.test(path) ? (["typescript"] as const) : [];
    const jsx = /x$/.test(path) ? (["jsx"] as const) : [];
    this.ast = parse(text, {
      sourceType: "module",
      allowReturnOutsideFunction: true,
      errorRecovery: true,
      plugins: [...plugins, ...jsx],
    });
    this.edits = new MagicString(text);
  }

  textOf(node: Node): string {
    return this.text.slice(startOf(node), endOf(node));
  }

  find(node: Node, message: string): void {
    this.findings.push({ line: node.loc?.start.line ?? 1, message });
  }

  import(module: string, name: string): void {
    const names = this.imports.get(module) ?? new Set();
    this.imports.set(module, names.add(name));
  }

  /** The first replacement of a node wins over later ones inside of it. */
  replace(node: Node, text: string): void {
    const [start, end] = [startOf(node), endOf(node)];
    if (this.replaced.some((range) => range.start <= start && end <= range.end)) return;
    this.replaced.push({ start, end });
    this.edits.overwrite(start, end, text);
  }

  /** Replaces the text between two positions, which may be empty. */
  replaceBetween(start: number, end: number, text: string): void {
    if (start < end) this.edits.overwrite(start, end, text);
    else this.edits.appendLeft(start, text);
  }

  insertBefore(node: Node, text: string): void {
    this.edits.appendRight(startOf(node), text);
  }

  insertAfter(node: Node, text: string): void {
    this.edits.appendLeft(endOf(node), text);
  }

  /** Keeps a statement as a comment, for what only a person can rewrite. */
  commentOut(node: Node, message: string): void {
    this.find(node, message);
    const lines = this.textOf(node).split("\n");
    this.replace(node, [`// Migrate by hand: ${message}`, ...lines.map((line) => `// ${line}`)].join("\n"));
  }

  /** Removes a statement together with its line break. */
  removeStatement(node: Node): void {
    let end = endOf(node);
    while (this.text[end] === " " || this.text[end] === "\t") end += 1;
    if (this.text[end] === "\r") end += 1;
    if (this.text[end] === "\n") end += 1;
    let start = startOf(node);
    while (this.text[start - 1] === " " || this.text[start - 1] === "\t") start -= 1;
    this.edits.remove(start, end);
  }
}

export function startOf(node: Node): number {
  return node.start ?? 0;
}

export function endOf(node: Node): number {
  return node.end ?? 0;
}
