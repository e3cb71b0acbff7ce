// Watches what the HTTP edges of a server hear and write.
import { createSseDecoder, type SseDecoder } from "@lethe/protocol";
import type { HttpAnswer } from "../../../packages/server/src/http/answers.ts";
import type { Servable } from "../../../packages/server/src/http/servable.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

/** What the calls of both edges have, most of it out of sight. */
interface Watched {
  readonly servable: Servable | undefined;
  readonly headers: (name: string) => string | undefined;
  receive(text: string): void;
  receiveMessage(message: unknown): void;
  sendAnswer(answer: HttpAnswer): void;
  write(text: string): boolean;
  closeStream(lastText: string): void;
}

interface Notes {
  readonly transcript: Transcript;
  readonly stream: SseDecoder;
}

/** `writers` are the methods that put text on an open stream, each by itself. */
export function watchHttpCall(prototype: object, writers: readonly ("write" | "closeStream")[]): void {
  const watched = prototype as Watched;
  const notesByCall = new WeakMap<Watched, Notes>();
  const { receive, receiveMessage, sendAnswer } = watched;

  function notesOf(call: Watched): Notes {
    const known = notesByCall.get(call);
    if (known) return known;
    const transcript = createTranscript("server", () => call.headers("mcp-protocol-version"));
    const notes = { transcript, stream: createSseDecoder() };
    notesByCall.set(call, notes);
    return notes;
  }

  function wroteEvents(call: Watched, text: string): void {
    if (!isWatched(call.servable)) return;
    const { transcript, stream } = notesOf(call);
    for (const { event, data } of stream.push(text)) {
      if (event === "message" && data !== "") transcript.wrote(JSON.parse(data));
    }
  }

  Object.assign(prototype, {
    receive(this: Watched, text: string) {
      if (isWatched(this.servable)) notesOf(this).transcript.heard(parse(text));
      receive.call(this, text);
    },
    receiveMessage(this: Watched, message: unknown) {
      if (isWatched(this.servable)) notesOf(this).transcript.heard(message);
      receiveMessage.call(this, message);
    },
    sendAnswer(this: Watched, answer: HttpAnswer) {
      const value = isWatched(this.servable) ? parse(answer.body) : undefined;
      if (value !== undefined) notesOf(this).transcript.wrote(value);
      sendAnswer.call(this, answer);
    },
  });
  for (const writer of writers) {
    const original = watched[writer] as (text: string) => unknown;
    Object.assign(prototype, {
      [writer](this: Watched, text: string) {
        wroteEvents(this, text);
        return original.call(this, text);
      },
    });
  }
}

/** A server that is made of a lone Dispatch says what its test wants it to. */
export function isWatched(servable: Servable | undefined): boolean {
  return servable?.info !== undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
