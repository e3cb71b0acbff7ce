// The requirement ids of docs/requirements.md and their citations in code, tests and documents: a test compares them.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** `B-32` is a requirement, `B.3` a section, and `D.2/3` a step of a section. */
const cited = /\b[A-J](?:-\d{1,2}|\.\d{1,2}(?:\/\d{1,2})?)\b/g;

export interface Citation {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly id: string;
}

/** The tracked files whose path matches `pattern`, relative to the root of the repository. */
export function trackedFiles(pattern: RegExp): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
    cwd: root,
    encoding: "utf8",
  });
  return listed.split("\n").filter((file) => pattern.test(file));
}

/** Reads a tracked file. A file that is deleted but not yet committed is empty. */
export function readTracked(file: string): string {
  try {
    return readFileSync(`${root}${file}`, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/** Every id that the sheet defines: requirements, sections and their steps, in the order of the sheet. */
export function definedIds(sheet: string): string[] {
  const ids: string[] = [];
  let section = "";
  for (const line of sheet.split("\n")) {
    const heading = /^#+ ([A-J]\.\d{1,2}) /.exec(line)?.[1];
    const requirement = /^- \*\*([A-J]-\d{1,2})\*\* /.exec(line)?.[1];
    const step = /^(\d{1,2})\. /.exec(line)?.[1];
    if (line.startsWith("#")) section = heading ?? "";
    if (heading) ids.push(heading);
    if (requirement) ids.push(requirement);
    if (step && section) ids.push(`${section}/${step}`);
  }
  return ids;
}

export function citationsIn(text: string, file: string): Citation[] {
  return text
    .split("\n")
    .flatMap((content, index) => [...content.matchAll(cited)].map(([id]) => ({ file, line: index + 1, id })));
}

/**
 * The citations in doc comments that readers of an API see: those of exported declarations, of their members, and of
 * interfaces and types, which may be part of an exported signature. Relies on the formatting of the linter.
 */
export function citationsInApi(source: string, file: string): Citation[] {
  return [...source.matchAll(/^( *)\/\*\*.*?\*\//gms)].flatMap(({ 0: comment, 1: indent = "", index }) => {
    const before = source.slice(0, index);
    const declaration = source.slice(index + comment.length).trimStart();
    if (!isVisible(indent === "" ? declaration : enclosing(before), declaration)) return [];
    const first = before.split("\n").length;
    return citationsIn(comment, file).map((citation) => ({ ...citation, line: citation.line + first - 1 }));
  });
}

function isVisible(statement: string, declaration: string): boolean {
  return /^(?:export|interface|type|declare)\b/.test(statement) && !/^(?:#|private\b)/.test(declaration);
}

/** The last statement that starts at the left margin. Members of functions are not visible. */
function enclosing(before: string): string {
  const statement = before.split("\n").findLast((line) => /^[a-z]/i.test(line)) ?? "";
  return /^export (?:default )?(?:async )?function\b/.test(statement) ? "" : statement;
}
