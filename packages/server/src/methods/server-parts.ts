// What the methods of one server share. Built once, when the server is created.
import type { Feature } from "../features/feature.ts";
import type { Registry } from "../features/registry.ts";
import type { HandlerMark } from "../interaction/handler-mark.ts";
import type { InteractionSettings } from "../interaction/settings.ts";
import type { Hub } from "../subscriptions/hub.ts";
import type { TaskRunner } from "../tasks/task-runner.ts";
import type { Advertisement } from "./advertisement.ts";
import type { ReportError } from "./report-error.ts";

export interface ServerParts {
  readonly registry: Registry;
  readonly hub: Hub;
  /** What the server says of itself now: it changes when the first feature of a kind is registered. */
  readonly advertised: () => Advertisement;
  readonly interaction: InteractionSettings;
  readonly tasks: TaskRunner;
  /** Of handlers whose call has become a task. */
  readonly taskInteraction: InteractionSettings;
  readonly handlerMarkOf: (feature: Feature) => HandlerMark;
  /** Whether `ctx.log` sends anything (E-41). */
  readonly hasLogging: boolean;
  readonly reportError: ReportError;
}
