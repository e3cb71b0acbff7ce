// Parses one configuration file: JSON with comments and trailing commas, as VS Code allows, with the line of every value.
import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { ConfigError } from "./config-error.ts";

export type Path = readonly (string | number)[];

export interface SourceFile {
  /** The name as given. */
  readonly name: string;
  /** The folder of relative paths: that of the file, or of the project around it. */
  readonly folder: string;
  readonly document: JsonObject;
  /**
   * Keys that occur more than once in an object. Only the last occurrence counts, and the parsed document contains no other.
   */
  readonly repeated: readonly Repeated[];
  /** Returns "file:line" of a path, or of the nearest existing parent. */
  placeOf(path: Path): string;
}

export interface Repeated {
  readonly path: Path;
  /** "file:line". */
  readonly place: string;
}

/** Editor folders inside a project. Their files refer to the project as the workspace. */
const editorFolders: ReadonlySet<string> = new Set([".vscode", ".cursor"]);

/** Throws ConfigError. */
export async function readSourceFile(name: string): Promise<SourceFile> {
  const text = await readFile(name, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`${name}: ${error.code === "ENOENT" ? "no such file" : `cannot be read (${error.code})`}`]);
  });
  return parseSourceFile(name, text);
}

/** Throws ConfigError. */
export function parseSourceFile(name: string, text: string): SourceFile {
  const errors: ParseError[] = [];
  const source = text.replace(/^\uFEFF/, "");
  const root = parseTree(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw new ConfigError([`${name}:${lineAt(source, error.offset)}: ${wordsOf(error)}`]);
  const document: unknown = root && getNodeValue(root);
  if (!root || !isJsonObject(document)) {
    throw new ConfigError([`${name}: must hold one JSON object, got ${nameOf(document)}`]);
  }
  return {
    name,
    folder: projectFolderOf(name),
    document,
    repeated: findRepeated(root, []).map(({ path, offset }) => ({ path, place: `${name}:${lineAt(source, offset)}` })),
    placeOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const node = findNodeAtLocation(root, path.slice(0, length));
        const named = node?.parent?.type === "property" ? node.parent : node;
        if (named) return `${name}:${lineAt(source, named.offset)}`;
      }
      return name;
    },
  };
}

function findRepeated({ type, children = [] }: Node, path: Path): { path: Path; offset: number }[] {
  const known = new Set<string>();
  return children.flatMap((child, index) => {
    if (type === "array") return findRepeated(child, [...path, index]);
    const [{ value: key = "" } = {}, value] = child.children ?? [];
    const own = [...path, String(key)];
    const again = known.has(String(key)) ? [{ path: own, offset: child.offset }] : [];
    known.add(String(key));
    return value ? [...again, ...findRepeated(value, own)] : again;
  });
}

function projectFolderOf(file: string): string {
  const folder = dirname(resolve(file));
  return editorFolders.has(basename(folder)) ? dirname(folder) : folder;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function wordsOf(error: ParseError): string {
  const words = printParseErrorCode(error.error).replace(/(?<=[a-z])(?=[A-Z])/g, " ");
  return `is not JSON: ${words.toLowerCase()}`;
}
