// The transport of 2024-11-05 (D-32): one event stream that carries every answer, and an endpoint to post to.
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
import { type HttpLab, isEventStream, readHeaders } from "./http-lab.ts";
import { type Heard, readMessages } from "./read-answer.ts";

export interface SseLab {
  /** The GET itself. */
  readonly opened: Exchange;
  /** Where to post. */
  readonly endpoint: URL;
  /** Posts to the endpoint, or to `url`, and waits for the answer on the stream. */
  send(what: string, message: JsonRpcRequest | JsonRpcNotification, options?: SsePlan): Promise<Exchange>;
  /** Ends the stream and with it the session. */
  close(): void;
}

export interface SsePlan {
  url?: URL;
  /** Less than the lab's, for a question that need not be answered. */
  timeoutMs?: number;
}

/** Undefined, and nothing stays open, when the stream does not begin with an endpoint of the same origin. */
export async function openSse(lab: HttpLab, what: string): Promise<SseLab | undefined> {
  const { recorder, timeoutMs } = lab;
  const number = recorder.begin(what);
  const startedAt = performance.now();
  const { sent, connection } = lab.open();
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
      endpoint = toEndpoint(reader.events.find(isTelling), lab.url);
    } else came.body = (await http.text(keptBody)).slice(0, keptBody);
  } catch (error) {
    answer = toSilence(error, timeoutMs);
  }
  const opened = recorder.end({ number, what, sent, ...came, answer, asked: [], ms: performance.now() - startedAt });
  if (endpoint && reader) return toSseLab(lab, { opened, endpoint, reader, close: connection.close });
  connection.close();
  return undefined;
}

interface Stream {
  opened: Exchange;
  endpoint: URL;
  reader: EventReader;
  close(): void;
}

function toSseLab(lab: HttpLab, { opened, endpoint, reader, close }: Stream): SseLab {
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
    send(what, message, { url = endpoint, timeoutMs = lab.timeoutMs } = {}) {
      const readElsewhere = (id: RequestId, heard: Heard) => readAnswer(id, heard, timeoutMs);
      return lab.send(what, { url, message, timeoutMs, readElsewhere });
    },
  };
}

/** An event that only primes the stream (D-35) says nothing yet. */
function isTelling({ data }: SseEvent): boolean {
  return data !== "";
}

/** Only the same origin: a server must not send our credentials to somebody else. */
function toEndpoint(first: SseEvent | undefined, base: URL): URL | undefined {
  if (first?.event !== "endpoint") return undefined;
  const text = trimFieldValue(first.data);
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  return url?.origin === base.origin ? url : undefined;
}
