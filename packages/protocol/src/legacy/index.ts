// The legacy revisions: what an edge needs to let a modern caller talk to a server that begins with `initialize`, and a
// client that begins with it talk to a modern server.
export { fromLegacyTask, relatedTaskKey, toLegacyTask } from "./2025-11-25/tasks.ts";
export {
  chooseRevision,
  type InitializeOffer,
  parseInitializeParams,
  toInitializeResult,
} from "./accept-initialize.ts";
export { codecOf } from "./codec.ts";
export { fromLegacyError, legacyErrorCode, toUrlInputRequests } from "./from-legacy-error.ts";
export {
  fromLegacyQuestion,
  isAnswerTo,
  isQuestionMethod,
  missingForQuestion,
} from "./from-legacy-question.ts";
export { fromLegacyResult } from "./from-legacy-result.ts";
export {
  hasTaskTools,
  type InitializeParams,
  type InitializeResult,
  ignoredTasksOf,
  type LegacyServerCapabilities,
  parseInitializeResult,
  toDiscoverResult,
} from "./initialize.ts";
export { isCoreTaskMethod, isModernOnlyMethod, legacyMethod, legacyNotification } from "./method.ts";
export {
  isLegacyRevision,
  type LegacyRevision,
  newestLegacyRevision,
  type RevisionTraits,
  traitsOf,
} from "./revision.ts";
export type { LegacyQuestion, RevisionCodec } from "./revision-codec.ts";
export { isTaskRequired, toLegacyError } from "./to-legacy-error.ts";
export { toLegacyParams } from "./to-legacy-params.ts";
export { type LegacyEnvelope, toModernParams } from "./to-modern-params.ts";
