// Extracts the `@example` blocks of doc comments, so that tests can type-check and run them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface DocExample {
  /** The exported function or class that the comment describes. */
  readonly name: string;
  readonly file: string;
  readonly code: string;
}

const documented = /\/\*\*\n((?: \*[^\n]*\n)+?) \*\/\nexport (?:async )?(?:function\*?|class|const) (\w+)/g;
const declared = /^export (?:async )?(?:function\*?|class|const) (\w+)/gm;

/** Reads all examples under a package's `src/` folder. A block ends at the next tag or at the end of its comment. */
export function readDocExamples(source: string): DocExample[] {
  return sourcesIn(source).flatMap((file) => examplesIn(readFileSync(file, "utf8"), file));
}

/** Returns the names of all functions, classes and constants that files under a package's `src/` folder export. */
export function readDeclaredNames(source: string): Set<string> {
  return new Set(sourcesIn(source).flatMap((file) => namesIn(readFileSync(file, "utf8"))));
}

export function examplesIn(text: string, file: string): DocExample[] {
  return [...text.matchAll(documented)].flatMap(([, comment = "", name = ""]) => {
    const lines = comment.split("\n").map((line) => line.replace(/^ \* ?/, ""));
    const start = lines.indexOf("@example");
    if (start < 0) return [];
    const rest = lines.slice(start + 1);
    const end = rest.findIndex((line) => line.startsWith("@"));
    return [{ name, file, code: `${(end < 0 ? rest : rest.slice(0, end)).join("\n").trim()}\n` }];
  });
}

/**
 * Turns `console.log(value); // expected` into a check: the program calls `verify(expected, value)` instead. The caller of the
 * program provides `verify` as a global.
 */
export function withVerification(code: string): string {
  return code.replace(/^( *)console\.log\((.*)\); \/\/ (.+)$/gm, (_, indent, values, expected) => {
    return `${indent}verify(${JSON.stringify(expected)}, ${values});`;
  });
}

function namesIn(text: string): string[] {
  return [...text.matchAll(declared)].map(([, name = ""]) => name);
}

function sourcesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !/testing/.test(file))
    .map((file) => join(folder, file));
}
