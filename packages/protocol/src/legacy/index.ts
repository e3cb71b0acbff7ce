// The legacy revisions: what an edge needs to let a modern caller talk to a server that begins with `initialize`.
export { fromLegacyError, legacyErrorCode, toUrlInputRequests } from "./from-legacy-error.ts";
export {
  fromLegacyQuestion,
  isAnswerTo,
  isQuestionMethod,
  missingForQuestion,
} from "./from-legacy-question.ts";
export { fromLegacyResult } from "./from-legacy-result.ts";
export {
  type InitializeParams,
  type InitializeResult,
  type LegacyServerCapabilities,
  parseInitializeResult,
  toDiscoverResult,
} from "./initialize.ts";
export {
  isLegacyRevision,
  type LegacyRevision,
  newestLegacyRevision,
  type RevisionTraits,
  traitsOf,
} from "./revision.ts";
export { toLegacyParams } from "./to-legacy-params.ts";
