// The events of GET /admin/v1/events.

import type { Recent } from "../../observe/duration-counts.ts";
import type { LogLevel } from "../../observe/log.ts";
import { type Exchange, exchange } from "./exchanges.ts";
import { type UnansweredReplica, unanswered } from "./fleet.ts";
import { type Overview, overview, recent } from "./overview.ts";
import { component, type Described, integer, list, object, oneOf, record, text, time } from "./schema.ts";
import { type Upstream, upstream } from "./upstreams.ts";

/** Upstreams that changed since the last such event of the stream; all of them in the first one. */
export interface UpstreamsEvent {
  readonly upstreams: readonly Upstream[];
  readonly removed: readonly string[];
}

/** Exchanges that the client missed because they are no longer kept. */
export interface GapEvent {
  readonly missed: number;
  /** The replica whose exchanges are missing. */
  readonly replica: string;
}

/** Exchanges that were counted and not recorded, because there were more than the gateway records in a second. */
export interface SampledEvent {
  /** Their number since the last such event. */
  readonly leftOut: number;
  readonly replica: string;
}

/** The replicas whose exchanges the stream carries. */
export interface ReplicasEvent {
  /** The replica that sends the stream, and then the others. */
  readonly replicas: readonly string[];
  /** Replicas that do not answer. Their exchanges follow when they do. */
  readonly unanswered: readonly UnansweredReplica[];
}

/** The newest step of the series, at its end. */
export interface TickEvent {
  readonly time: string;
  readonly stepSeconds: number;
  readonly gateway: Recent;
  /** Upstreams with requests in this step. */
  readonly upstreams: Readonly<Record<string, Recent>>;
  /** Upstreams with requests in the last minute, and those requests. */
  readonly recent: Readonly<Record<string, Recent>>;
}

/** The numbers of items, so that a client knows when to read a list again. */
export interface ChangedEvent {
  readonly resources: readonly ("sessions" | "pending-calls" | "tasks")[];
}

export interface LogEvent {
  readonly time: string;
  readonly level: LogLevel;
  readonly event: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The data of each kind of event. */
export interface AdminEventData {
  readonly state: Overview;
  readonly upstreams: UpstreamsEvent;
  readonly exchange: Exchange;
  readonly gap: GapEvent;
  readonly sampled: SampledEvent;
  readonly replicas: ReplicasEvent;
  readonly tick: TickEvent;
  readonly changed: ChangedEvent;
  readonly log: LogEvent;
}

export const eventData: { readonly [K in keyof AdminEventData]: Described<AdminEventData[K]> } = {
  state: overview,
  upstreams: component(
    "UpstreamsEvent",
    object<UpstreamsEvent>(
      { upstreams: list(upstream), removed: list(text()) },
      "Upstreams that changed since the last such event of the stream; all of them in the first one",
    ),
  ),
  exchange,
  gap: component(
    "GapEvent",
    object<GapEvent>(
      { missed: integer(), replica: text("The replica whose exchanges are missing") },
      "Exchanges that the client missed because they are no longer kept",
    ),
  ),
  sampled: component(
    "SampledEvent",
    object<SampledEvent>(
      { leftOut: integer("Their number since the last such event, without regard to filters"), replica: text() },
      "Exchanges that were counted and not recorded: of more than 20 a second, the gateway records a fair sample",
    ),
  ),
  replicas: component(
    "ReplicasEvent",
    object<ReplicasEvent>(
      {
        replicas: list(text(), "The replica that sends the stream, and then the others"),
        unanswered: list(unanswered, "Replicas that do not answer. Their exchanges follow when they do"),
      },
      "The replicas whose exchanges the stream carries",
    ),
  ),
  tick: component(
    "TickEvent",
    object<TickEvent>(
      {
        ...{ time: time(), stepSeconds: integer(), gateway: recent, upstreams: record(recent) },
        recent: record(recent, "Upstreams with requests in the last minute, and those requests"),
      },
      "The requests of a step that has ended, at all replicas. Upstreams without requests are absent",
    ),
  ),
  changed: component(
    "ChangedEvent",
    object<ChangedEvent>(
      { resources: list(oneOf(["sessions", "pending-calls", "tasks"])) },
      "Lists that changed, so that a client knows what to read again",
    ),
  ),
  log: component(
    "LogEvent",
    object<LogEvent>(
      {
        time: time(),
        level: oneOf(["info", "warn", "error"]),
        event: text("The kind of event, such as `upstream.failed`"),
        message: text(),
        fields: record({ schema: {}, components: new Map() }, "Further members of the entry, masked"),
      },
      "An entry of the log, requests excepted",
    ),
  ),
};
