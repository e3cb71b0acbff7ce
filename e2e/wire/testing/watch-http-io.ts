// Watches the messages that the HTTP edges of a server receive and write.
import { createSseDecoder, type SseDecoder } from "@lethe/protocol";
import type { HttpAnswer } from "../../../packages/server/src/http/answers.ts";
import type { HttpCall } from "../../../packages/server/src/http/http-call.ts";
import type { Servable } from "../../../packages/server/src/http/servable.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

interface WatchedIo {
  readonly call: HttpCall;
  sendAnswer(answer: HttpAnswer): void;
  write(text: string): boolean;
  closeStream(lastText: string): void;
}

interface Notes {
  readonly transcript: Transcript;
  readonly stream: SseDecoder;
}

const notesByCall = new WeakMap<HttpCall, Notes>();

export function transcriptOf(call: HttpCall): Transcript {
  return notesOf(call).transcript;
}

/** `writers` are the methods that each write text to an open stream. */
export function watchOutput(io: WatchedIo, writers: readonly ("write" | "closeStream")[]): void {
  const { sendAnswer } = io;
  io.sendAnswer = function (this: WatchedIo, answer: HttpAnswer) {
    const value = isWatched(this.call.servable) ? parse(answer.body) : undefined;
    if (value !== undefined) transcriptOf(this.call).wrote(value);
    sendAnswer.call(this, answer);
  };
  for (const writer of writers) {
    const original = io[writer] as (text: string) => unknown;
    Object.assign(io, {
      [writer](this: WatchedIo, text: string) {
        wroteEvents(this.call, text);
        return original.call(this, text);
      },
    });
  }
}

/** False for a server that is only a Dispatch, because its test may send invalid messages. */
export function isWatched(servable: Servable | undefined): boolean {
  return servable?.info !== undefined;
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wroteEvents(call: HttpCall, text: string): void {
  if (!isWatched(call.servable)) return;
  const { transcript, stream } = notesOf(call);
  for (const { event, data } of stream.push(text)) {
    if (event === "message" && data !== "") transcript.wrote(JSON.parse(data));
  }
}

function notesOf(call: HttpCall): Notes {
  const known = notesByCall.get(call);
  if (known) return known;
  const transcript = createTranscript("server", () => call.headers("mcp-protocol-version"));
  const notes = { transcript, stream: createSseDecoder() };
  notesByCall.set(call, notes);
  return notes;
}
