// Records the pipes of a server process: the client starts our tee in place of it, and the tee starts the server.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, parseJson } from "@lethe/protocol";
import type { StdioLine } from "./recording.ts";

export interface Command {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface StdioRecorder {
  /** What to start in place of the server. */
  readonly command: Command;
  /** What stands before the server's own words in that command line. */
  readonly prefix: string;
  /** To be called when the process has ended; removes the log file. */
  finish(): Promise<StdioLine[]>;
}

/** `zero` is time 0 of the recording, as its clock says. */
export async function recordStdio(target: Command, zero: number): Promise<StdioRecorder> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-compare-"));
  const file = join(folder, "lines");
  const tee = createRequire(import.meta.url).resolve("@lethe/compare/tee");
  const { command, args = [], ...rest } = target;
  return {
    command: { ...rest, command: process.execPath, args: [tee, file, command, ...args] },
    prefix: [process.execPath, tee, file].join(" "),
    async finish() {
      const text = await readFile(file, "utf8").catch(() => "");
      await rm(folder, { recursive: true, force: true });
      return parseTeeLog(text, zero);
    },
  };
}

/** A last line that was cut off when the tee was killed is left out. */
export function parseTeeLog(text: string, zero: number): StdioLine[] {
  const lines: StdioLine[] = [];
  for (const row of text.split("\n")) {
    const note = row === "" ? undefined : readNote(row);
    if (note) lines.push({ ...note, number: lines.length + 1, at: note.at - zero });
  }
  return lines;
}

function readNote(row: string): Omit<StdioLine, "number"> | undefined {
  let note: unknown;
  try {
    note = parseJson(row);
  } catch {
    return undefined;
  }
  if (!isJsonObject(note)) return undefined;
  const { at, sender, bytes, text } = note;
  if (typeof at !== "number" || typeof bytes !== "number" || typeof text !== "string") return undefined;
  return { at, sender: sender === "client" ? "client" : "server", bytes, text };
}
