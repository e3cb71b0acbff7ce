// The objects that the handlers and methods of one server share, built once.
import type { Clock } from "../clock/clock.ts";
import type { Feature } from "../features/feature.ts";
import type { Registry } from "../features/registry.ts";
import type { HandlerFingerprint } from "../interaction/handler-fingerprint.ts";
import type { InteractionSettings } from "../interaction/settings.ts";
import type { Seal } from "../seal/seal.ts";
import type { SessionParts } from "../session/session-parts.ts";
import type { Hub } from "../subscriptions/hub.ts";
import type { TaskRunner } from "../tasks/task-runner.ts";
import type { Advertisement } from "./advertisement.ts";
import type { ReportError } from "./report-error.ts";

/** Used to run a handler, on a request or in a task. */
export interface HandlerParts {
  readonly registry: Registry;
  readonly interaction: InteractionSettings;
  /** The settings of handlers whose call has become a task. */
  readonly taskInteraction: InteractionSettings;
  readonly sessions: SessionParts;
  readonly fingerprintOf: (feature: Feature) => HandlerFingerprint;
  /** Whether `ctx.log` sends anything. */
  readonly hasLogging: boolean;
  readonly reportError: ReportError;
  readonly clock: Clock;
}

/** Used to answer a method. */
export interface ServerParts extends HandlerParts {
  readonly hub: Hub;
  readonly tasks: TaskRunner;
  /** Whether requests may be forwarded to mounted servers. */
  readonly hasMounts: () => boolean;
  /** Seals the ids of tasks of mounted servers. */
  readonly taskSeal: Seal;
  /** The current advertisement: it changes with the first feature of a kind. */
  readonly advertised: () => Advertisement;
}
