// GET /admin/v1/events: exchanges and log entries as they happen, changes of the state, and steps of the series.
import type { HttpAnswer, RouteStream, StreamedAnswer } from "@lethe/server/edge";
import type { ExchangeQuery, ExchangeRing } from "../observe/exchange-ring.ts";
import type { LogTail } from "../observe/log-tail.ts";
import { stepSeconds } from "../observe/time-series.ts";
import { lastStep, type Traffic } from "../observe/traffic.ts";
import type { Watching } from "../observe/watching.ts";
import { AdminEventStream, parsePosition } from "./event-stream.ts";
import { type AdminState, type StateChange, StateChanges } from "./state-changes.ts";

const maxStreams = 8;
const stateEveryMs = 1_000;
const none = 0;

export interface AdminEventsSource {
  readonly replica: string;
  readonly exchanges: ExchangeRing;
  readonly log: LogTail;
  readonly traffic: Pick<Traffic, "step">;
  readonly watching: Pick<Watching, "look">;
  state(): AdminState;
}

export class AdminEvents {
  readonly #source: AdminEventsSource;
  readonly #streams = new Set<AdminEventStream>();
  readonly #state: StateChanges;
  #timer: NodeJS.Timeout | undefined;
  #toldStep = 0;
  #isClosed = false;

  constructor(source: AdminEventsSource) {
    this.#source = source;
    this.#state = new StateChanges(() => source.state());
  }

  /** `lastEventId` is the id of the last event that the client received. */
  respond(query: ExchangeQuery, lastEventId: string | undefined): HttpAnswer | StreamedAnswer {
    if (this.#isClosed) return toRefusal("the gateway is stopping");
    if (this.#streams.size >= maxStreams)
      return toRefusal(`${maxStreams} event streams are open, and more are not allowed`);
    return { stream: (stream) => this.#begin(stream, query, lastEventId) };
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

  #begin(stream: RouteStream, query: ExchangeQuery, lastEventId: string | undefined): void {
    const { replica, exchanges, log } = this.#source;
    // An id of another run says nothing about this one, so its client gets all exchanges that are kept.
    const begin = parsePosition(lastEventId, replica) ?? { exchange: startOf(query, exchanges), log: log.last };
    const events = new AdminEventStream({ stream, exchanges, log, query, begin, replica });
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
    this.#source.watching.look();
    const { whole, changes } = this.#state.read();
    const changed = toTexts(changes);
    let all: readonly EventText[] | undefined;
    for (const stream of this.#streams) {
      if (stream.isSlow) stream.isBehind = true;
      else {
        if (stream.isBehind) all ??= toTexts(whole());
        for (const { event, text } of stream.isBehind ? (all ?? []) : changed) stream.sendText(event, text);
        stream.isBehind = false;
      }
    }
    this.#sendTick();
  }

  #sendTick(): void {
    const step = lastStep(Date.now());
    if (step === this.#toldStep) return;
    const isFirst = this.#toldStep === 0;
    this.#toldStep = step;
    if (isFirst) return;
    const time = new Date(step * stepSeconds * 1_000).toISOString();
    const text = JSON.stringify({ time, stepSeconds, ...this.#source.traffic.step(step) });
    for (const stream of this.#streams) if (!stream.isSlow) stream.sendText("tick", text);
  }

  #stopWhenUnused(): void {
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#toldStep = 0;
  }
}

/** Undefined for all exchanges that are kept. */
function startOf({ limit }: ExchangeQuery, exchanges: ExchangeRing): number | undefined {
  if (limit === undefined) return undefined;
  const start = Math.max(-1, exchanges.last - limit);
  // What is no longer kept was not missed by a client that is new.
  return start + exchanges.read({ after: start, limit: none }).missed;
}

interface EventText {
  readonly event: StateChange["event"];
  readonly text: string;
}

function toTexts(changes: readonly StateChange[]): EventText[] {
  return changes.map(({ event, data }) => ({ event, text: JSON.stringify(data) }));
}

function toRefusal(problem: string): HttpAnswer {
  const headers = { "Content-Type": "application/json", "Retry-After": "5" };
  return { status: 503, headers, body: `${JSON.stringify({ error: problem })}\n` };
}
