// Resumes the event stream of a request (D-35): its call may still run, have ended, or be unknown.
import { errorCode, McpError, type RequestId, toSseEvent } from "@lethe/protocol";
import { type HttpAnswer, toRefusal } from "../../http/answers.ts";
import { toErrorText } from "../../http/response-text.ts";
import type { LegacyHttpCall } from "../../http/servable.ts";
import { type BackgroundTimer, startBackgroundTimer } from "../calls/timers.ts";
import type { LegacySession, SessionStream } from "../sessions/session.ts";
import type { Follower, Following } from "../shared/event-log.ts";
import type { LegacySettings } from "../shared/legacy-options.ts";
import { type EventPosition, toEventId } from "./event-id.ts";

/** The status that makes an EventSource stop reconnecting, and MCP clients as well. */
const nothingLeft: HttpAnswer = { status: 204, headers: {}, body: "" };

/** The event log cannot be read, so the client has to retry. */
const unreachable = toRefusal(503, "the events of this stream cannot be read at the moment", { "Retry-After": "1" });

export class ResumedStream implements SessionStream, Follower {
  readonly #position: EventPosition;
  readonly #call: LegacyHttpCall;
  readonly #session: LegacySession;
  readonly #settings: LegacySettings;
  readonly #detach: () => void;
  #following: Following | undefined = undefined;
  #timer: BackgroundTimer | undefined = undefined;
  #isOpen = false;
  #isOver = false;

  constructor(position: EventPosition, call: LegacyHttpCall, session: LegacySession, settings: LegacySettings) {
    this.#position = position;
    this.#call = call;
    this.#session = session;
    this.#settings = settings;
    this.#detach = session.attach(this);
    call.onAbort(() => this.end());
  }

  async begin(): Promise<void> {
    const { events, pollAfterMs } = this.#settings;
    const stream = { sessionId: this.#session.facts.id, streamId: this.#position.streamId };
    let following: Following | undefined;
    try {
      following = await events.follow(stream, this.#position.seq, this);
    } catch {
      return this.#finish(unreachable);
    }
    if (!following) this.#sendLostError(this.#position.requestId);
    else if (following.isEnded) this.end();
    else if (this.#isOver) following.stop();
    else if (this.#open()) {
      this.#following = following;
      if (pollAfterMs > 0 && this.#hasPrimingEvent) this.#timer = startBackgroundTimer(() => this.end(), pollAfterMs);
    }
  }

  event(seq: number, text: string): void {
    if (this.#open()) this.#call.send(toSseEvent(text, { id: toEventId({ ...this.#position, seq }) }));
  }

  end(): void {
    this.#finish(nothingLeft);
  }

  #finish(answer: HttpAnswer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#following?.stop();
    if (this.#isOpen) this.#call.endStream();
    else this.#call.answer(answer);
    this.#detach();
  }

  #open(): boolean {
    if (this.#isOver) return false;
    if (this.#isOpen) return true;
    this.#isOpen = this.#call.beginStream(true);
    if (!this.#isOpen) this.end();
    // Otherwise a client that is disconnected before the first event would not know its position.
    else if (this.#hasPrimingEvent) {
      this.#call.send(toSseEvent("", { id: toEventId(this.#position), retryMs: this.#settings.retryMs }));
    }
    return this.#isOpen;
  }

  get #hasPrimingEvent(): boolean {
    return this.#session.facts.revision.traits.hasPrimingEvent;
  }

  /** After a restart, or too late: the client gets an error instead of waiting forever, and has to repeat the call. */
  #sendLostError(requestId: RequestId | undefined): void {
    if (requestId !== undefined && this.#open()) {
      const error = new McpError(errorCode.internalError, "the result of this request is lost");
      this.#call.send(toSseEvent(toErrorText(requestId, error)));
    }
    this.end();
  }
}
