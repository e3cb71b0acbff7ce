// Records the pipes of a server process: the client starts the tee, and the tee starts the server.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, parseJson } from "@lethe/protocol";
import type { StdioLine } from "./recording.ts";

/** A command that starts a server on stdio. */
export interface Command {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A command that runs a server and records its standard input and output. */
export interface StdioRecorder {
  /** The command to start instead of the server. */
  readonly command: Command;
  /** The part of that command line before the server's command. */
  readonly prefix: string;
  /** Returns the recorded lines and deletes the log file. To be called after the process has ended. */
  finish(): Promise<StdioLine[]>;
}

/** `zero` is time 0 of the recording: see `Clock`. */
export async function recordStdio(target: Command, zero: number): Promise<StdioRecorder> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-compare-"));
  const file = join(folder, "lines");
  const tee = createRequire(import.meta.url).resolve("#tee");
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

/** Ignores an incomplete last line, which remains when the tee is killed. */
export function parseTeeLog(text: string, zero: number): StdioLine[] {
  const lines: StdioLine[] = [];
  for (const row of text.split("\n")) {
    const entry = row === "" ? undefined : parseEntry(row);
    if (entry) lines.push({ ...entry, number: lines.length + 1, at: entry.at - zero });
  }
  return lines;
}

function parseEntry(row: string): Omit<StdioLine, "number"> | undefined {
  let entry: unknown;
  try {
    entry = parseJson(row);
  } catch {
    return undefined;
  }
  if (!isJsonObject(entry)) return undefined;
  const { at, sender, bytes, text } = entry;
  if (typeof at !== "number" || typeof bytes !== "number" || typeof text !== "string") return undefined;
  return { at, sender: sender === "client" ? "client" : "server", bytes, text };
}
