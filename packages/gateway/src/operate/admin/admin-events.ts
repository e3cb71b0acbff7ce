// GET /admin/v1/events: exchanges and log entries as they happen, changes of the state, and steps of the series.
import type { HttpAnswer, RouteStream, StreamedAnswer } from "@lethe/server/edge";
import type { ExchangeQuery, ExchangeRing } from "../observe/exchange-ring.ts";
import type { LogTail } from "../observe/log-tail.ts";
import { stepSeconds } from "../observe/time-series.ts";
import { lastStep, type Traffic } from "../observe/traffic.ts";
import type { Watching } from "../observe/watching.ts";
import type { AskReplicas } from "./ask-replicas.ts";
import { AdminEventStream } from "./event-stream.ts";
import { createRingReader, type ExchangeReader } from "./exchange-reader.ts";
import { recentOf } from "./fleet/figures.ts";
import { mergeCounts, mergeSteps, type OwnFigures } from "./fleet/merge-figures.ts";
import { FollowedReplicas } from "./followed-replicas.ts";
import { type StateChange, StateChanges } from "./state-changes.ts";
import { parsePosition } from "./stream-position.ts";

const maxStreams = 8;
const stateEveryMs = 1_000;
/** How long a step of the series waits for replicas whose clocks are behind. It is then sent without theirs. */
const maxStepDelayMs = 5_000;

export interface AdminEventsSource {
  readonly replica: string;
  readonly exchanges: ExchangeRing;
  readonly log: LogTail;
  readonly traffic: Pick<Traffic, "step" | "recent" | "upstreams">;
  readonly watching: Pick<Watching, "follow">;
  readonly replicas: Pick<AskReplicas, "names" | "ask">;
  /** Called when the state cannot be sent, and not again before it could. */
  onFailed(error: unknown): void;
  /** The state and the figures of this replica. */
  own(): OwnFigures;
}

export class AdminEvents {
  readonly #source: AdminEventsSource;
  readonly #streams = new Set<AdminEventStream>();
  readonly #state: StateChanges;
  readonly #own: ExchangeReader;
  readonly #others: FollowedReplicas;
  /** The text of the last `replicas` event. */
  #toldReplicas = "";
  #stopListening: (() => void) | undefined;
  #stopFollowing: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #toldStep = 0;
  #isClosed = false;
  #hasFailed = false;

  constructor(source: AdminEventsSource) {
    this.#source = source;
    this.#own = createRingReader(source.exchanges, source.replica);
    this.#others = new FollowedReplicas({
      ...{ replica: source.replica, replicas: source.replicas },
      onExchanges: () => this.#added(),
      onFirstFigures: () => this.#sendState(),
      onListsChanged: (resources) => this.#sendToAll("changed", JSON.stringify({ resources })),
    });
    this.#state = new StateChanges(
      () => source.own(),
      () => this.#others.figures,
    );
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
    const { replica, exchanges, log, watching } = this.#source;
    if (this.#streams.size === 0) {
      this.#stopListening = exchanges.onAdded(() => this.#added());
      this.#stopFollowing = watching.follow();
    }
    this.#others.refresh();
    const events = new AdminEventStream({
      ...{ stream, replica, log, query, own: this.#own, begin: parsePosition(lastEventId, replica) },
      others: () => this.#others.readers,
    });
    this.#streams.add(events);
    stream.onAbort(() => {
      events.left();
      this.#streams.delete(events);
      this.#stopWhenUnused();
    });
    this.#timer ??= setInterval(() => this.#sendState(), stateEveryMs).unref();
    // The figures of this replica alone would be shown first, for a moment.
    if (!this.#others.isAwaitingFigures) this.#sendState();
  }

  /** This replica or another one has new exchanges. */
  #added(): void {
    for (const stream of this.#streams) stream.added();
  }

  #sendToAll(event: "changed" | "tick", text: string): void {
    for (const stream of this.#streams) if (!stream.isSlow) stream.sendText(event, text);
  }

  /** A defect here must not end the gateway, which serves its callers without this stream. */
  #sendState(): void {
    try {
      this.#sendChanges();
      this.#sendTick();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#source.onFailed(error);
      this.#hasFailed = true;
    }
  }

  #sendChanges(): void {
    this.#others.refresh();
    const { whole, changes } = this.#state.read();
    const replicas = this.#readReplicas();
    const changed = [...toTexts(changes), ...(replicas.hasChanged ? replicas.texts : [])];
    let all: readonly EventText[] | undefined;
    for (const stream of this.#streams) {
      if (stream.isSlow) stream.isBehind = true;
      else {
        if (stream.isBehind) all ??= [...toTexts(whole()), ...replicas.texts];
        for (const { event, text } of stream.isBehind ? (all ?? []) : changed) stream.sendText(event, text);
        stream.isBehind = false;
      }
    }
  }

  /** A gateway without replicas has no such event. */
  #readReplicas(): { readonly texts: readonly EventText[]; readonly hasChanged: boolean } {
    const { status } = this.#others;
    const isAlone = status.replicas.length === 1 && this.#toldReplicas === "";
    const text = isAlone ? "" : JSON.stringify(status);
    const hasChanged = text !== this.#toldReplicas;
    this.#toldReplicas = text;
    return { texts: text === "" ? [] : [{ event: "replicas", text }], hasChanged };
  }

  /** The step that has ended, when all replicas that answer have ended it, or after a while. */
  #sendTick(): void {
    const now = Date.now();
    const step = lastStep(now);
    if (step === this.#toldStep) return;
    const isFirst = this.#toldStep === 0;
    const isLate = now - (step + 1) * stepSeconds * 1_000 >= maxStepDelayMs;
    const others = this.#others.stepOfAll(step) ?? (isFirst || isLate ? this.#others.stepsAt(step) : undefined);
    if (!others) return;
    this.#toldStep = step;
    if (isFirst) return;
    const { traffic } = this.#source;
    const time = new Date(step * stepSeconds * 1_000).toISOString();
    const recent = mergeCounts([recentOf(traffic), ...others.map((other) => other.recent)]);
    const tick = { time, stepSeconds, ...mergeSteps([traffic.step(step), ...others]), recent };
    this.#sendToAll("tick", JSON.stringify(tick));
  }

  #stopWhenUnused(): void {
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopListening?.();
    this.#stopFollowing?.();
    this.#others.stop();
    this.#toldReplicas = "";
    this.#toldStep = 0;
  }
}

interface EventText {
  readonly event: StateChange["event"] | "replicas";
  readonly text: string;
}

function toTexts(changes: readonly StateChange[]): EventText[] {
  return changes.map(({ event, data }) => ({ event, text: JSON.stringify(data) }));
}

function toRefusal(problem: string): HttpAnswer {
  const headers = { "Content-Type": "application/json", "Retry-After": "5" };
  return { status: 503, headers, body: `${JSON.stringify({ error: problem })}\n` };
}
