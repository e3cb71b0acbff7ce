// GET /admin/events: exchanges as they happen, and changes of the state, for the console and for scripts.
import { randomBytes } from "node:crypto";
import type { HttpAnswer, RouteStream, StreamedAnswer } from "@lethe/server/edge";
import type { ExchangeQuery, ExchangeRing } from "../observe/exchange-ring.ts";
import { AdminEventStream } from "./event-stream.ts";
import { type AdminState, StateChanges } from "./state-changes.ts";

const maxStreams = 8;
const stateEveryMs = 1_000;

export interface AdminEventsSource {
  readonly ring: ExchangeRing;
  state(): AdminState;
}

export class AdminEvents {
  readonly #ring: ExchangeRing;
  readonly #run = randomBytes(4).toString("hex");
  readonly #streams = new Set<AdminEventStream>();
  readonly #state: StateChanges;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(source: AdminEventsSource) {
    this.#ring = source.ring;
    this.#state = new StateChanges(() => source.state());
  }

  /** `lastEventId` is the id of the last event that the client received. */
  respond(query: ExchangeQuery, lastEventId: string | undefined): HttpAnswer | StreamedAnswer {
    if (this.#isClosed) return toRefusal("the gateway is stopping");
    if (this.#streams.size >= maxStreams)
      return toRefusal(`${maxStreams} event streams are open, and more are not allowed`);
    return { stream: (stream) => this.#begin(stream, { ...query, after: this.#positionAfter(query, lastEventId) }) };
  }

  /** Ends all streams, and accepts no others. */
  close(): void {
    this.#isClosed = true;
    this.restart();
  }

  /** Ends all streams. Their clients open new ones, by the rules that apply then. */
  restart(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
    this.#stopWhenUnused();
  }

  /** An id of an earlier run says nothing about this one, so its client gets all that is kept. */
  #positionAfter({ after }: ExchangeQuery, lastEventId: string | undefined): number | undefined {
    const [run, position] = lastEventId?.split(".") ?? [];
    return run === this.#run && /^\d{1,15}$/.test(position ?? "") ? Number(position) : after;
  }

  #begin(stream: RouteStream, query: ExchangeQuery): void {
    const events = new AdminEventStream({ stream, ring: this.#ring, query, run: this.#run });
    this.#streams.add(events);
    stream.onAbort(() => {
      events.left();
      this.#streams.delete(events);
      this.#stopWhenUnused();
    });
    this.#timer ??= setInterval(() => this.#sendState(), stateEveryMs).unref();
    this.#sendState();
  }

  #sendState(): void {
    const { whole, changes } = this.#state.read();
    for (const stream of this.#streams) {
      if (stream.isSlow) stream.isBehind = true;
      else {
        stream.sendState(stream.isBehind ? whole : changes);
        stream.isBehind = false;
      }
    }
  }

  #stopWhenUnused(): void {
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function toRefusal(problem: string): HttpAnswer {
  const headers = { "Content-Type": "application/json", "Retry-After": "5" };
  return { status: 503, headers, body: `${JSON.stringify({ error: problem })}\n` };
}
