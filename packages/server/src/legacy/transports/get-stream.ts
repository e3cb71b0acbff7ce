// The GET stream of a session (D-34), which sends change notifications. If the client leaves, the stream continues for a while, so
// that the client misses nothing when it reconnects.
import { toSseEvent } from "@lethe/protocol";
import type { LegacyHttpCall } from "../../http/servable.ts";
import { type BackgroundTimer, startBackgroundTimer } from "../calls/timers.ts";
import type { LegacySession, SessionStream } from "../sessions/session.ts";
import { randomId } from "../sessions/session-facts.ts";
import type { LegacyContext } from "../shared/legacy-context.ts";
import { toPeer } from "../shared/legacy-context.ts";
import type { SessionState } from "../shared/session-store.ts";
import { ChangeFeed } from "./change-feed.ts";
import { type EventPosition, toEventId } from "./event-id.ts";
import { EventWriter } from "./event-writer.ts";

/** Distinguishes the ids of these streams from those of POST responses. */
const prefix = "get_";

export function isGetStream({ streamId }: EventPosition): boolean {
  return streamId.startsWith(prefix);
}

export class GetStream implements SessionStream {
  /** Undefined once the client has left: the stream may continue for minutes, and the HTTP request takes most of the memory. */
  #call: LegacyHttpCall | undefined;
  readonly #session: LegacySession;
  readonly #context: LegacyContext;
  readonly #feed: ChangeFeed;
  readonly #writer: EventWriter;
  readonly #detach: () => void;
  #timer: BackgroundTimer | undefined = undefined;

  constructor(call: LegacyHttpCall, session: LegacySession, context: LegacyContext) {
    const { facts } = session;
    const { events, lostStreamMs } = context.settings;
    this.#call = call;
    this.#session = session;
    this.#context = context;
    this.#writer = new EventWriter(call, { events, stream: { sessionId: facts.id, streamId: prefix + randomId() } });
    this.#feed = new ChangeFeed(facts, context, this, toPeer(call));
    this.#detach = session.attach(this);
    call.onAbort(() => {
      this.#call = undefined;
      this.#writer.detach();
      this.#timer = startBackgroundTimer(() => this.end(), lostStreamMs);
      context.lostStreams.add(this);
    });
  }

  /** Replaces the previous GET stream of the session: each message is sent on one stream only. */
  async begin(state: SessionState | undefined, resumed: EventPosition | undefined): Promise<void> {
    const before = this.#session.changeStream;
    this.#session.changeStream = this;
    this.#writer.begin(this.#session.facts.revision.traits.hasPrimingEvent, this.#context.settings.retryMs);
    const stopReplay = resumed ? await this.#replay(resumed) : undefined;
    this.#feed.watch(state);
    this.#feed.whenStarted(() => {
      stopReplay?.();
      before?.end();
    });
  }

  notify(text: string): boolean {
    return this.#call?.isSlow ? false : this.#writer.send(text);
  }

  drained(): Promise<void> {
    return this.#call?.drained() ?? Promise.resolve();
  }

  whenStarted(callback: () => void): void {
    this.#feed.whenStarted(callback);
  }

  stateChanged(state: SessionState): void {
    this.#feed.watch(state);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#context.lostStreams.delete(this);
    if (this.#session.changeStream === this) this.#session.changeStream = undefined;
    this.#feed.stop();
    this.#writer.end();
    this.#detach();
  }

  /** Sends the events that the client missed, and those of the previous stream until this one has started. */
  async #replay(place: EventPosition): Promise<(() => void) | undefined> {
    const stream = { sessionId: this.#session.facts.id, streamId: place.streamId };
    try {
      const following = await this.#context.settings.events.follow(stream, place.seq, {
        event: (seq, text) => void this.#call?.send(toSseEvent(text, { id: toEventId({ ...place, seq }) })),
        end() {},
      });
      return following && (() => following.stop());
    } catch {
      // The log cannot be read. Later events are sent all the same.
      return undefined;
    }
  }
}
