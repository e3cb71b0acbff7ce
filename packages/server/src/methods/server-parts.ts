// The objects that the methods of one server share, built once.
import type { Feature } from "../features/feature.ts";
import type { Registry } from "../features/registry.ts";
import type { HandlerFingerprint } from "../interaction/handler-fingerprint.ts";
import type { InteractionSettings } from "../interaction/settings.ts";
import type { Hub } from "../subscriptions/hub.ts";
import type { TaskRunner } from "../tasks/task-runner.ts";
import type { Advertisement } from "./advertisement.ts";
import type { ReportError } from "./report-error.ts";

export interface ServerParts {
  readonly registry: Registry;
  readonly hub: Hub;
  /** The current advertisement: it changes with the first feature of a kind. */
  readonly advertised: () => Advertisement;
  readonly interaction: InteractionSettings;
  readonly tasks: TaskRunner;
  /** The settings of handlers whose call has become a task. */
  readonly taskInteraction: InteractionSettings;
  readonly fingerprintOf: (feature: Feature) => HandlerFingerprint;
  /** Whether `ctx.log` sends anything. */
  readonly hasLogging: boolean;
  readonly reportError: ReportError;
}
