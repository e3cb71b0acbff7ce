// The transport HTTP+SSE of 2024-11-05 (D-32): one event stream with all answers, and an endpoint for POST.
import {
  type JsonRpcNotification,
  type JsonRpcRequest,
  type RequestId,
  type SseEvent,
  trimFieldValue,
} from "@lethe/protocol";
import { createEventReader, type EventReader } from "./event-reader.ts";
import { type Answer, type Exchange, keptBody } from "./exchange.ts";
import { toSilence } from "./http-connection.ts";
import { type HttpTransport, isEventStream, readHeaders } from "./http-transport.ts";
import { type Heard, readMessages } from "./read-answer.ts";

export interface SseTransport {
  /** The exchange of the GET request. */
  readonly opened: Exchange;
  /** The URL for POST requests. */
  readonly endpoint: URL;
  /** Posts to the endpoint, or to `url`, and waits for the answer on the stream. */
  send(what: string, message: JsonRpcRequest | JsonRpcNotification, options?: SsePlan): Promise<Exchange>;
  /** Closes the stream, which ends the session. */
  close(): void;
}

export interface SsePlan {
  url?: URL;
  /** Shorter than the time limit of the transport, for requests that may stay unanswered. In ms. */
  timeoutMs?: number;
}

/** Returns undefined and closes the stream if it does not start with an endpoint of the same origin. */
export async function openSse(transport: HttpTransport, what: string): Promise<SseTransport | undefined> {
  const { recorder, timeoutMs } = transport;
  const number = recorder.begin(what);
  const startedAt = performance.now();
  const { sent, connection } = transport.open();
  const came: { status?: number; headers: Record<string, string>; body: string } = { headers: {}, body: "" };
  let answer: Answer = { kind: "other" };
  let reader: EventReader | undefined;
  let endpoint: URL | undefined;
  try {
    const http = await connection.answer;
    came.status = http.status;
    came.headers = readHeaders(http);
    if (http.status === 200 && isEventStream(http)) {
      connection.disarm();
      reader = createEventReader(http);
      await reader.until((events) => events.some(isTelling), timeoutMs);
      came.body = reader.events
        .map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`)
        .join("")
        .slice(0, keptBody);
      endpoint = toEndpoint(reader.events.find(isTelling), transport.url);
    } else came.body = (await http.text(keptBody)).slice(0, keptBody);
  } catch (error) {
    answer = toSilence(error, timeoutMs);
  }
  const opened = recorder.end({ number, what, sent, ...came, answer, asked: [], ms: performance.now() - startedAt });
  if (endpoint && reader) return toSseTransport(transport, { opened, endpoint, reader, close: connection.close });
  connection.close();
  return undefined;
}

interface Stream {
  opened: Exchange;
  endpoint: URL;
  reader: EventReader;
  close(): void;
}

function toSseTransport(transport: HttpTransport, { opened, endpoint, reader, close }: Stream): SseTransport {
  async function readAnswer(id: RequestId, heard: Heard, timeoutMs: number): Promise<void> {
    let read = 0;
    await reader.until((events) => {
      while (read < events.length && !heard.answer) {
        const event = events[read];
        read += 1;
        if (event) readMessages(event.data, id, heard);
      }
      return heard.answer !== undefined;
    }, timeoutMs);
    heard.answer ??= { kind: "none", reason: "timeout", message: `no answer on the stream within ${timeoutMs} ms` };
  }
  return {
    opened,
    endpoint,
    close,
    send(what, message, { url = endpoint, timeoutMs = transport.timeoutMs } = {}) {
      const readElsewhere = (id: RequestId, heard: Heard) => readAnswer(id, heard, timeoutMs);
      return transport.send(what, { url, message, timeoutMs, readElsewhere });
    },
  };
}

/** Skips an event that only primes the stream (D-35). */
function isTelling({ data }: SseEvent): boolean {
  return data !== "";
}

/** Only an endpoint of the same origin, because requests to it carry the user's credentials. */
function toEndpoint(first: SseEvent | undefined, base: URL): URL | undefined {
  if (first?.event !== "endpoint") return undefined;
  const text = trimFieldValue(first.data);
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  return url?.origin === base.origin ? url : undefined;
}
