// The response to a POST of one request or batch: JSON, or an event stream if another message precedes the responses.
import { isMcpError, type RequestId, refusalOf } from "@lethe/protocol";
import { type HttpAnswer, toErrorAnswer, toJsonAnswer } from "../../http/answers.ts";
import { acceptsEventStream } from "../../http/media-type.ts";
import type { LegacyHttpCall } from "../../http/servable.ts";
import type { MessageSink } from "../calls/running-call.ts";
import { type BackgroundTimer, startBackgroundTimer } from "../calls/timers.ts";
import type { LegacyResponse } from "../methods/run-request.ts";
import type { SessionFacts } from "../sessions/session-facts.ts";
import { randomId } from "../sessions/session-facts.ts";
import type { LegacySettings } from "../shared/legacy-options.ts";
import { EventWriter } from "./event-writer.ts";

export interface PostResponseOptions {
  readonly facts: SessionFacts;
  readonly settings: LegacySettings;
  /** Undefined for a batch. */
  readonly requestId: RequestId | undefined;
  /** The number of responses. */
  readonly expected: number;
}

export class PostResponse implements MessageSink {
  readonly canRequestInput: boolean;
  readonly #canStream: boolean;
  readonly #call: LegacyHttpCall;
  readonly #options: PostResponseOptions;
  readonly #responses: LegacyResponse[] = [];
  /** The requests continue if the client leaves. */
  readonly #release: () => void;
  #missing: number;
  #stream: EventWriter | undefined = undefined;
  #timer: BackgroundTimer | undefined = undefined;

  constructor(call: LegacyHttpCall, options: PostResponseOptions) {
    const { facts, settings, expected } = options;
    this.#call = call;
    this.#options = options;
    this.#missing = expected;
    this.#release = call.retain();
    this.#canStream = acceptsEventStream(call.headers("accept"));
    this.canRequestInput = this.#canStream && !facts.isStateless;
    if (this.canRequestInput)
      this.#timer = startBackgroundTimer(() => this.#onStreamDelay(), streamAfterMsOf(settings));
  }

  notify(text: string): boolean {
    if (!this.#canStream) return true;
    const stream = this.#open();
    return this.#call.isSlow ? false : stream.send(text);
  }

  send(text: string): void {
    this.#open().send(text);
  }

  drained(): Promise<void> {
    return this.#call.drained();
  }

  answeredBy(worker: number): void {
    this.#call.answeredBy?.(worker);
  }

  disconnect(): void {
    if (this.#options.facts.revision.traits.hasPrimingEvent && this.canRequestInput) this.#open().release();
  }

  /** `response` is undefined for a cancelled request. */
  respond(response: LegacyResponse | undefined): void {
    if (response && this.#stream) this.#stream.send(response.text);
    else if (response) this.#responses.push(response);
    this.#missing--;
    if (this.#missing === 0) this.#finish();
  }

  #open(): EventWriter {
    if (this.#stream) return this.#stream;
    const { facts, settings, requestId } = this.#options;
    const stream = { sessionId: facts.id, streamId: randomId() };
    const events = facts.isStateless ? undefined : settings.events;
    this.#stream = new EventWriter(this.#call, { events, stream, requestId });
    this.#call.beginStream();
    this.#stream.begin(facts.revision.traits.hasPrimingEvent, settings.retryMs);
    for (const { text } of this.#responses) this.#stream.send(text);
    return this.#stream;
  }

  #onStreamDelay(): void {
    const { settings } = this.#options;
    this.#open();
    if (settings.pollAfterMs === 0) return;
    this.#timer = startBackgroundTimer(() => this.disconnect(), settings.pollAfterMs - streamAfterMsOf(settings));
  }

  #finish(): void {
    clearTimeout(this.#timer);
    if (this.#stream) this.#stream.end();
    else if (this.#responses.length === 0) this.#open().end();
    else this.#call.answer(this.#toAnswer(this.#responses));
    this.#release();
  }

  #toAnswer(responses: readonly LegacyResponse[]): HttpAnswer {
    if (this.#options.requestId === undefined)
      return toJsonAnswer(200, `[${responses.map(({ text }) => text).join(",")}]`);
    const [{ text, thrown } = noResponse] = responses;
    // Status 503 would end the session of clients with the Python SDK before 1.23. The error itself says when to retry.
    const isOverloaded = isMcpError(thrown) && refusalOf(thrown)?.status === 503;
    if (thrown === undefined || isOverloaded) return toJsonAnswer(200, text);
    // An error has status 200 like a result, except for authorization errors.
    const { authenticator } = this.#call.servable ?? {};
    return { ...toErrorAnswer(thrown, undefined, { status: 200, authenticator }), body: text };
  }
}

const noResponse: LegacyResponse = { text: "" };

function streamAfterMsOf({ streamAfterMs, pollAfterMs }: LegacySettings): number {
  return pollAfterMs > 0 ? Math.min(streamAfterMs, pollAfterMs) : streamAfterMs;
}
