// GET /admin/v1/health, /config and /config/changes, and POST /config/reload.
import type { SharedView } from "../../observe/gateway-view.ts";
import { type FleetAnswer, fleetMembers } from "./fleet.ts";
import { shared } from "./overview.ts";
import {
  component,
  type Described,
  flag,
  integer,
  json,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
  time,
} from "./schema.ts";

export interface Replica {
  readonly id: string;
  /** Whether it is the replica that answers. */
  readonly isSelf: boolean;
  readonly version: string;
  readonly state: string;
  readonly started: string;
  readonly sessions: number;
  readonly pendingCalls: number;
  readonly tasks: number;
  readonly requests: number;
  readonly errors: number;
  readonly heldBytes: number;
  readonly shared?: SharedView;
}

/** A limit and its use. */
export interface LimitUse {
  /** The setting, such as `pendingCalls.max`. */
  readonly name: string;
  readonly what: string;
  readonly unit: "count" | "bytes";
  readonly limit: number;
  readonly used: number;
  /** The upstream that the limit is of. Absent for a limit of the whole gateway. */
  readonly upstream?: string;
}

export interface Health extends FleetAnswer {
  readonly isReady: boolean;
  /** As `/readyz` says it. */
  readonly readiness: string;
  readonly replicas: readonly Replica[];
  readonly limits: readonly LimitUse[];
  /** Problems of the configuration, of lists and of the shared store. */
  readonly problems: readonly HealthProblem[];
}

export interface HealthProblem {
  readonly source: "configuration" | "upstream" | "shared store";
  readonly upstream?: string;
  readonly text: string;
}

export const health: Described<Health> = component(
  "Health",
  object<Health>({
    ...fleetMembers,
    isReady: flag(),
    readiness: text("As `/readyz` says it"),
    replicas: list(
      component(
        "Replica",
        object<Replica>({
          id: text(),
          isSelf: flag("Whether it is the replica that answers"),
          version: text(),
          state: text(),
          started: time(),
          sessions: integer(),
          pendingCalls: integer(),
          tasks: integer(),
          requests: integer("Since its start"),
          errors: integer("Since its start"),
          heldBytes: integer("Memory held for callers and upstreams"),
          shared: optional(shared),
        }),
      ),
    ),
    limits: list(
      component(
        "LimitUse",
        object<LimitUse>(
          {
            name: text("The setting, such as `pendingCalls.max`"),
            what: text(),
            unit: oneOf(["count", "bytes"]),
            limit: number(),
            used: number(),
            upstream: optional(text()),
          },
          "A limit of this replica and its use",
        ),
      ),
    ),
    problems: list(
      component(
        "HealthProblem",
        object<HealthProblem>({
          source: oneOf(["configuration", "upstream", "shared store"]),
          upstream: optional(text()),
          text: text(),
        }),
      ),
    ),
  }),
);

/** What a reload would do now. */
export interface ConfigChanges {
  /** False if the files have problems. A reload then changes nothing. */
  readonly isValid: boolean;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly changes: readonly ConfigChange[];
  /** Changes beyond the limit of the list. */
  readonly omitted: number;
  readonly upstreams: UpstreamDifferences;
  /** Changed settings that only a restart applies. */
  readonly needsRestart: readonly string[];
}

export interface ConfigChange {
  /** Names members and places in lists, such as `settings.limits.maxTools`. */
  readonly path: string;
  /** Absent for an addition. Masked. */
  readonly before?: unknown;
  /** Absent for a removal. Masked. A changed secret shows the mask on both sides. */
  readonly after?: unknown;
}

export interface UpstreamDifferences {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export const configChanges: Described<ConfigChanges> = component(
  "ConfigChanges",
  object<ConfigChanges>(
    {
      isValid: flag("False if the files have problems. A reload then changes nothing"),
      problems: list(text()),
      notes: list(text()),
      changes: list(
        component(
          "ConfigChange",
          object<ConfigChange>({
            path: text("Names members and places in lists, such as `settings.limits.maxTools`"),
            before: optional(json("Absent for an addition. Masked")),
            after: optional(json("Absent for a removal. Masked. A changed secret shows the mask on both sides")),
          }),
        ),
      ),
      omitted: integer("Changes beyond the limit of the list"),
      upstreams: object<UpstreamDifferences>({ added: list(text()), changed: list(text()), removed: list(text()) }),
      needsRestart: list(text(), "Changed settings that only a restart applies"),
    },
    "What a reload would do now",
  ),
);

/** Whether a reload took effect. A configuration with problems is not applied, and the previous one stays active. */
export interface ReloadOutcome {
  isApplied: boolean;
  problems: readonly string[];
  /**
   * Settings that the workers get by being replaced, one by one, which takes until after this answer. Workers that are not replaced yet have
   * the previous ones. The log says when all are replaced (`worker.replaced`), or why not (`worker.failed`).
   */
  replacing?: readonly string[];
}

export const reloadOutcome: Described<ReloadOutcome> = component(
  "ReloadOutcome",
  object<ReloadOutcome>({
    isApplied: flag(),
    problems: list(text()),
    replacing: optional(
      list(
        text(),
        "Settings for which the workers are replaced, one by one, after this answer. Absent if there are none",
      ),
    ),
  }),
);
