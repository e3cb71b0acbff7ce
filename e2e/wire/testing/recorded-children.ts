// Child processes of tests: validates the messages that they wrote over HTTP when the test file ends.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSseDecoder, type SseDecoder } from "@lethe/protocol";
import { createTranscript, type Transcript } from "./transcript.ts";

let folder: string | undefined;

/** Environment variables for a process that writes only messages of this package. */
export function recordingEnvironment(): Record<string, string> {
  folder ??= mkdtempSync(join(tmpdir(), "lethe-wire-"));
  return { LETHE_WIRE_RECORD: folder, NODE_OPTIONS: `--import=${new URL("record-child.mjs", import.meta.url)}` };
}

interface Line {
  number: number;
  type: string | undefined;
  text: string;
  /** With the first of a call: the body of the request. */
  heard?: string;
  revision?: string;
}

/** Feeds what was recorded so far to transcripts. */
export function replayChildren(): void {
  if (folder === undefined || !existsSync(folder)) return;
  for (const name of readdirSync(folder)) replay(readFileSync(join(folder, name), "utf8"));
  rmSync(folder, { recursive: true });
  folder = undefined;
}

function replay(text: string): void {
  const calls = new Map<number, { transcript: Transcript; stream: SseDecoder }>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const { number, type, text: written, heard, revision } = JSON.parse(line) as Line;
    const call = calls.get(number) ?? {
      transcript: createTranscript("server", () => revision),
      stream: createSseDecoder(),
    };
    calls.set(number, call);
    if (heard !== undefined) call.transcript.heard(parse(heard));
    if (type?.startsWith("text/event-stream")) {
      for (const { event, data } of call.stream.push(written)) {
        if (event === "message" && data !== "") call.transcript.wrote(JSON.parse(data));
      }
    } else if (written.startsWith('{"jsonrpc"') || written.startsWith('[{"jsonrpc"')) {
      call.transcript.wrote(JSON.parse(written));
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
