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

  /**
   * `hasPrimingEvent`: sends an event without data first, so that the client can resume the stream before the first message.
   * `retryMs` is part of it: a client that loses the connection reconnects after that time.
   */
  begin(hasPrimingEvent: boolean, retryMs: number): void {
    const { events, stream } = this.#options;
    events?.begin(stream);
    if (events && hasPrimingEvent) this.#call?.send(toSseEvent("", { id: this.#idOf(this.#seq), retryMs }));
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
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
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
    return this.#call.send(toSseEvent(text, this.#options.events && { id: this.#idOf(seq) }));
  }

  #idOf(seq: number): string {
    const { stream, requestId } = this.#options;
    return toEventId({ streamId: stream.streamId, seq, requestId });
  }
}
