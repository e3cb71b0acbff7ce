// GET /admin/v1/overview and GET /admin/v1/series.
import type { SharedProblem } from "../../../upstreams/directory/shared-state.ts";
import type { Recent } from "../../observe/duration-counts.ts";
import type { PlacementView, SharedView } from "../../observe/gateway-view.ts";
import type { Series } from "../../observe/time-series.ts";
import { type FiguresHead, figuresMembers } from "./fleet.ts";
import {
  component,
  type Described,
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  text,
  time,
} from "./schema.ts";

export interface Overview extends FiguresHead {
  readonly name: string;
  readonly version: string;
  readonly state: "starting" | "serving" | "draining" | "stopped";
  readonly started: string;
  readonly upSeconds: number;
  readonly listening: Listening;
  readonly features: Features;
  readonly upstreams: UpstreamCounts;
  readonly sessions: number;
  readonly pendingCalls: number;
  readonly tasks: number;
  readonly total: Totals;
  readonly recent: Recent;
  readonly memory: MemoryUse;
  readonly files: readonly string[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  readonly shared?: SharedView;
}

export interface Listening {
  readonly url: string;
  readonly adminUrl: string;
}

/** What the configuration turns on. */
export interface Features {
  /** Callers authenticate. */
  readonly auth: boolean;
  readonly policy: boolean;
  /** Bodies of requests and results are recorded (`admin.bodies`). */
  readonly bodies: boolean;
  /** Replicas share a store. */
  readonly replicas: boolean;
}

export interface UpstreamCounts {
  readonly starting: number;
  readonly ready: number;
  readonly idle: number;
  readonly failed: number;
}

export interface Totals {
  readonly requests: number;
  readonly errors: number;
}

export interface MemoryUse {
  /** Bytes held for callers and upstreams, by kind. */
  readonly held: Readonly<Record<string, number>>;
  readonly heldBytes: number;
  readonly softBytes: number;
  readonly hardBytes: number;
}

export const recent: Described<Recent> = component(
  "Recent",
  object<Recent>(
    {
      requests: integer(),
      errors: integer("Requests that failed or that the gateway rejected, but not errors of tools"),
      p50: orNull(number(), "Median, in ms, over the requests of all replicas"),
      p95: orNull(number(), "In ms"),
    },
    "Requests of the last minute, or of a step of the series",
  ),
);

export const shared: Described<SharedView> = component(
  "Shared",
  object<SharedView>(
    {
      replica: text(),
      isReached: flag("Whether the shared store answers"),
      problems: list(object<SharedProblem>({ reason: text(), text: text() })),
      isCutOff: flag("Whether other replicas reach the store and this one does not"),
      leases: integer("Sessions that this replica owns"),
      sent: integer("Requests forwarded to other replicas since the start"),
      received: integer("Requests received from other replicas since the start"),
      messages: optional(
        object({ redis: integer(), direct: integer() }, "Messages sent to other replicas, by what carried them"),
      ),
      links: optional(integer("Direct connections to other replicas")),
      replicas: integer("Other replicas that are alive"),
      replicasLost: integer("Other replicas that were lost since the start"),
      leaseAgeMs: integer("Age of the last heartbeat that the store confirmed"),
      placement: optional(
        object<PlacementView>(
          {
            handedOn: record(integer(), "Requests handed to replicas with more room since the start, by reason"),
            replicasWithRoom: record(integer(), "Other replicas that have room for sessions, by upstream"),
          },
          "Where new sessions open. Absent if replicas do not know each other's room",
        ),
      ),
    },
    "How this replica works with the others",
  ),
);

const memory: Described<MemoryUse> = object<MemoryUse>({
  held: record(integer(), "Bytes held for callers and upstreams, by kind"),
  heldBytes: integer(),
  softBytes: integer("Above this, new requests are refused"),
  hardBytes: integer("Above this, the largest holdings are dropped"),
});

export const overview: Described<Overview> = component(
  "Overview",
  object<Overview>(
    {
      name: text(),
      version: text(),
      ...figuresMembers,
      state: oneOf(["starting", "serving", "draining", "stopped"]),
      started: time(),
      upSeconds: integer(),
      listening: object<Listening>({ url: text("The merged endpoint"), adminUrl: text() }),
      features: object<Features>({
        auth: flag("Whether callers authenticate"),
        policy: flag(),
        bodies: flag("Whether bodies are recorded (`admin.bodies`)"),
        replicas: flag("Whether replicas share a store"),
      }),
      upstreams: object<UpstreamCounts>({ starting: integer(), ready: integer(), idle: integer(), failed: integer() }),
      sessions: integer(),
      pendingCalls: integer(),
      tasks: integer(),
      total: object<Totals>({ requests: integer(), errors: integer() }, "Since the start of each replica that answers"),
      recent,
      memory,
      files: list(text(), "The files of the configuration"),
      notes: list(text(), "Notes on the configuration"),
      warnings: list(text(), "What verdicts mean for callers and operators"),
      shared: optional(shared),
    },
    "The state of the replica that answers, with the figures of all replicas in `upstreams`, `sessions`, `pendingCalls`, `tasks`, `total` and `recent`",
  ),
);

export interface SeriesAnswer extends FiguresHead {
  readonly stepSeconds: number;
  /** When the newest step began. It is still being filled. */
  readonly newest: string;
  readonly gateway: Series;
  readonly upstreams: Readonly<Record<string, Series>>;
}

const series: Described<Series> = component(
  "Series",
  object<Series>(
    {
      requests: list(integer()),
      errors: list(integer()),
      p50: list(orNull(number()), "Median duration in ms; null without a request"),
      p95: list(orNull(number()), "In ms"),
    },
    "One value per step, the oldest first",
  ),
);

export const seriesAnswer: Described<SeriesAnswer> = component(
  "SeriesAnswer",
  object<SeriesAnswer>({
    ...figuresMembers,
    stepSeconds: integer(),
    newest: time("When the newest step began. It is still being filled"),
    gateway: series,
    upstreams: record(series, "Upstreams without a request in this time are absent"),
  }),
);
