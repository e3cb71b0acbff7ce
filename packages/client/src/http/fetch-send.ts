// Sends HTTP requests with fetch: for browsers, edge runtimes and custom fetch functions.
import { ByteBuilder, type HeaderReader } from "@lethe/protocol";
import { toAbortSignal } from "../call/cancel-signal.ts";
import { TransportError } from "../call/transport-error.ts";
import { HeldAnswer } from "./held-answer.ts";
import type { HttpAnswer, HttpRequest, HttpSend } from "./http-send.ts";

/** A function with the signature of the global `fetch`, as far as a client uses it. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/**
 * Sends the HTTP requests of a client with `fetch`: the global one, or a function of yours that adds a proxy or a log. Pass the result as the
 * option `send` of `connect`. Redirects are not followed.
 *
 * @example
 * import { connect, createFetchSend } from "@lethe/client";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const serving = await serve(createServer({ name: "hello", version: "1.0.0" }), { port: 0 });
 * const methods: (string | undefined)[] = [];
 * const send = createFetchSend((url, init) => {
 *   methods.push(init.method);
 *   return fetch(url, init);
 * });
 * const client = await connect(serving.url, { send });
 * console.log(methods); // [ 'POST' ]
 * await client.close();
 * await serving.close();
 */
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
  // A browser hides everything about a redirect that it did not follow, even its status.
  const status = response.type === "opaqueredirect" ? 307 : response.status;
  const headers: HeaderReader = (name) => response.headers.get(name) ?? undefined;
  let chunks: AsyncIterator<string, undefined> | undefined;
  const answer: HttpAnswer = {
    status,
    headers,
    async text(maxBytes, memory) {
      const body = new ByteBuilder(maxBytes);
      const held = memory && new HeldAnswer(memory, "a body", () => response.body?.cancel().catch(ignore));
      try {
        for await (const part of readBytes(response.body)) {
          const length = body.length + part.byteLength;
          if (length > maxBytes) {
            throw new TransportError("too_large", `the answer is larger than ${maxBytes} bytes`);
          }
          held?.set(length);
          body.append(part);
        }
      } finally {
        held?.release();
      }
      return new TextDecoder().decode(body.bytes());
    },
    chunks() {
      chunks ??= readText(response.body);
      return chunks;
    },
    discard() {
      // An active reader holds the body's lock; cancelling the reader cancels the body.
      const ended = chunks ? chunks.return?.() : response.body?.cancel();
      ended?.catch(ignore);
    },
  };
  return answer;
}

async function* readText(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  for await (const part of readBytes(body)) {
    const text = decoder.decode(part, { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
  return undefined;
}

/** Cancels the body if its reader stops early. */
async function* readBytes(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, undefined> {
  if (body === null) return undefined;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    reader.cancel().catch(ignore);
  }
  return undefined;
}

function ignore(): void {
  // The body is discarded; errors of it no longer matter.
}
