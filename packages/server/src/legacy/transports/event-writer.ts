// Writes one event stream of a session (D-35). Each event has an id and is kept in the event log, so that the client may lose the
// connection, and the server may close it.
import { type RequestId, toSseEvent } from "@lethe/protocol";
import type { LegacyHttpCall } from "../../http/servable.ts";
import type { EventLog, StreamName } from "../shared/event-log.ts";
import { toEventId } from "./event-id.ts";

export interface EventWriterOptions {
  /** Undefined for a stream that cannot be resumed. */
  readonly events: EventLog | undefined;
  readonly stream: StreamName;
  /** Set if the stream answers one request. */
  readonly requestId?: RequestId | undefined;
}

export class EventWriter {
  readonly #options: EventWriterOptions;
  #call: LegacyHttpCall | undefined;
  #seq = 0;
  #isReleased = false;

  constructor(call: LegacyHttpCall, options: EventWriterOptions) {
    this.#call = call;
    this.#options = options;
  }

  /** `hasPrimingEvent`: sends an empty event first, so that the client can resume the stream before the first message. */
  begin(hasPrimingEvent: boolean): void {
    const { events, stream } = this.#options;
    events?.begin(stream);
    if (events && hasPrimingEvent) this.#write("", this.#seq);
  }

  /** Returns false when the client reads more slowly than the server writes. */
  send(text: string): boolean {
    const { events, stream } = this.#options;
    this.#seq++;
    events?.append(stream, this.#seq, text);
    return this.#write(text, this.#seq);
  }

  /** The client has left: later events are only kept. Releases the HTTP request. */
  detach(): void {
    this.#isReleased = true;
    this.#call = undefined;
  }

  /** Closes the connection. Later events are only kept until the client reconnects. */
  release(retryMs: number): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#call?.send(toRetry(retryMs));
    this.#call?.endStream();
  }

  end(): void {
    const { events, stream } = this.#options;
    events?.end(stream);
    if (!this.#isReleased) this.#call?.endStream();
    this.#isReleased = true;
  }

  #write(text: string, seq: number): boolean {
    if (this.#isReleased || !this.#call) return true;
    const { events, stream, requestId } = this.#options;
    const id = events && toEventId({ streamId: stream.streamId, seq, requestId });
    return this.#call.send(toSseEvent(text, id === undefined ? undefined : { id }));
  }
}

/** A field without data, which readers do not treat as an event. */
export function toRetry(retryMs: number): string {
  return `retry: ${Math.max(0, Math.round(retryMs))}\n\n`;
}
