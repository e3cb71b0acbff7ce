// Sends over fetch: for browsers, edge runtimes, and whoever brings a fetch of their own.
import type { HeaderReader } from "@lethe/protocol";
import { toAbortSignal } from "../call/cancel-signal.ts";
import { TransportError } from "../call/transport-error.ts";
import type { HttpAnswer, HttpRequest, HttpSend } from "./http-send.ts";

export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

export function createFetchSend(fetch: Fetch = globalThis.fetch): HttpSend {
  return async (request) => toAnswer(await fetch(request.url, toInit(request)));
}

function toInit({ method, headers, body, signal }: HttpRequest): RequestInit {
  const init: RequestInit = { method, headers, redirect: "manual" };
  if (body !== undefined) init.body = body;
  if (signal) init.signal = toAbortSignal(signal);
  return init;
}

function toAnswer(response: Response): HttpAnswer {
  // A browser shows nothing of a redirect that it did not follow: not even its status.
  const status = response.type === "opaqueredirect" ? 307 : response.status;
  const headers: HeaderReader = (name) => response.headers.get(name) ?? undefined;
  let chunks: AsyncIterator<string, undefined> | undefined;
  const answer: HttpAnswer = {
    status,
    headers,
    async text(maxBytes) {
      let text = "";
      let bytes = 0;
      for await (const chunk of readText(response.body, (size) => (bytes += size))) {
        if (bytes > maxBytes) throw new TransportError("too_large", `the answer is larger than ${maxBytes} bytes`);
        text += chunk;
      }
      return text;
    },
    chunks() {
      chunks ??= readText(response.body);
      return chunks;
    },
    discard() {
      // A reader that has begun holds the body's lock; ending it cancels the body.
      const ended = chunks ? chunks.return?.() : response.body?.cancel();
      ended?.catch(ignore);
    },
  };
  return answer;
}

/** Ends the body when its reader stops early. */
async function* readText(
  body: ReadableStream<Uint8Array> | null,
  onBytes?: (count: number) => void,
): AsyncGenerator<string, undefined> {
  if (body === null) return undefined;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      onBytes?.(part.value.byteLength);
      const text = decoder.decode(part.value, { stream: true });
      if (text !== "") yield text;
    }
    const rest = decoder.decode();
    if (rest !== "") yield rest;
  } finally {
    reader.cancel().catch(ignore);
  }
  return undefined;
}

function ignore(): void {
  // The body is given up: whatever goes wrong with it now is nobody's concern.
}
