// The entry point @lethe/server/edge: the parts of a server that a gateway or another edge is built from.

export { MemoryBudget, processMemory } from "@lethe/protocol";
export { type CompiledSchema, type CompileOptions, compileSchema } from "./features/schema.ts";
export type { HttpAnswer } from "./http/answers.ts";
export { createFetchHandler, type FetchHandler } from "./http/fetch-handler.ts";
export type { HttpOptions } from "./http/http-options.ts";
export type { Route, RouteLookup, RouteRequest, RouteStream, StreamedAnswer } from "./http/route.ts";
export type { LegacyEdge, Servable, ServableLookup, ServableTarget } from "./http/servable.ts";
export { type ServingDefaults, servingDefaults } from "./http/serving-defaults.ts";
export { createLegacyEdge, type LegacyServed } from "./legacy/legacy-edge.ts";
export type { LegacyOptions } from "./legacy/shared/legacy-options.ts";
export {
  describeRequest,
  durationBuckets,
  type RequestDescription,
} from "./middleware/request-attributes.ts";
export { digestOf, toCanonicalJson } from "./seal/digest.ts";
export {
  type Binding,
  createSeal,
  invalidRequestState,
  type OpenedToken,
  type Seal,
  type SealOptions,
} from "./seal/seal.ts";
export { createSingleUse, type RoundFailures, type SingleUse } from "./seal/single-use.ts";
export { createHub, type Hub, type HubOptions } from "./subscriptions/hub.ts";
export { type SpreadWork, spreadOverTurns } from "./subscriptions/spread-over-turns.ts";
export type { TaskRun } from "./tasks/task-run.ts";
export { createTaskRunner, type TaskRunner } from "./tasks/task-runner.ts";
export type { TaskCall, TaskRunnerOptions } from "./tasks/task-runner-options.ts";
export { createTaskSettings, type TaskSettings } from "./tasks/task-settings.ts";
export { toDetailedTask } from "./tasks/task-state.ts";
