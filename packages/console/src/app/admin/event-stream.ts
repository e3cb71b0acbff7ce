// The event stream of the administration interface: opens it, reads it, and opens it again when it ends.
import { createSseDecoder } from "@lethe/protocol";
import type { AdminClient, AdminFailure } from "./admin-client.ts";
import { AdminError } from "./admin-client.ts";

export type StreamState = "connecting" | "live" | AdminFailure;

export interface StreamHandlers {
  onEvent(name: string, data: unknown): void;
  /** `problem` says why there is no stream. */
  onState(state: StreamState, problem?: string): void;
}

const firstDelayMs = 500;
const maxDelayMs = 10_000;

/** Returns a function that ends the stream. Events since the last one are sent again after an interruption. */
export function followEvents(client: AdminClient, path: string, handlers: StreamHandlers): () => void {
  const abort = new AbortController();
  let lastId: string | undefined;
  let delayMs = firstDelayMs;

  async function readOnce(): Promise<void> {
    const headers: Record<string, string> = lastId === undefined ? {} : { "last-event-id": lastId };
    const response = await client.open(path, headers, abort.signal);
    handlers.onState("live");
    delayMs = firstDelayMs;
    const decoder = createSseDecoder();
    const text = new TextDecoder();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      for (const { event, data, id } of decoder.push(text.decode(read.value, { stream: true }))) {
        if (id !== undefined) lastId = id;
        if (data !== "") handlers.onEvent(event, JSON.parse(data));
      }
    }
  }

  async function run(): Promise<void> {
    handlers.onState("connecting");
    while (!abort.signal.aborted) {
      try {
        await readOnce();
        if (!abort.signal.aborted) handlers.onState("offline", "the gateway ended the stream");
      } catch (error) {
        if (abort.signal.aborted) return;
        const isKnown = error instanceof AdminError;
        handlers.onState(isKnown ? error.failure : "offline", isKnown ? error.message : "the connection broke");
      }
      await sleep(delayMs, abort.signal);
      delayMs = Math.min(maxDelayMs, delayMs * 2);
    }
  }

  void run();
  return () => abort.abort();
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
