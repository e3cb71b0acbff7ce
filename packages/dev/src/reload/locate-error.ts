// Finds the place of a thrown error in the author's code. Node has mapped the stack to the sources.
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Place, Problem } from "../bundle/problem.ts";
import type { WireError } from "../channel/wire-error.ts";

interface Frame {
  readonly call: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const framePattern = /^\s+at (?:(.*?) \()?((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).*?):(\d+):(\d+)\)?$/;
/** Frames that are shown. */
const maxFrames = 6;

export interface LocateOptions {
  /** The files of the author's code. */
  readonly files: readonly string[];
  readonly workingFolder?: string;
}

export async function locateError(error: WireError, options: LocateOptions): Promise<Problem> {
  const isPlain = error.name === "NoServer" || error.name === "";
  if (isPlain) return { text: error.message };
  const text = `${error.name}: ${error.message}`;
  const frames = framesOf(error.stack ?? "").filter(({ file }) => options.files.includes(file));
  const place = frames[0] && (await placeOf(frames[0]));
  const base = options.workingFolder ?? process.cwd();
  const trace = frames.slice(0, maxFrames).map(({ call, file, line, column }) => {
    const where = `${relative(base, file)}:${line}:${column}`;
    return call === "" ? `at ${where}` : `at ${call} (${where})`;
  });
  return { text, place, trace };
}

function framesOf(stack: string): Frame[] {
  return stack.split("\n").flatMap((text) => {
    const [, call = "", source = "", line, column] = framePattern.exec(text) ?? [];
    if (source === "") return [];
    const file = source.startsWith("file:") ? fileURLToPath(source) : source;
    return [{ call, file, line: Number(line), column: Number(column) }];
  });
}

async function placeOf({ file, line, column }: Frame): Promise<Place | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  const lineText = text?.split("\n")[line - 1];
  return lineText === undefined ? undefined : { file, line, column, lineText };
}
