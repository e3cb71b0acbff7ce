// Entry point of `@lethe/protocol/revisions`: the revisions as peers around the model, for edges that speak them.
export { isTaskRequired, legacyErrorCode } from "./2025-11-25/error.ts";
export { relatedTaskKey } from "./2025-11-25/tasks.ts";
export { ConvertingExchange, otherRevisionOf } from "./convert.ts";
export { isExtensionNotification } from "./extension-notification.ts";
export {
  findRevision,
  isLaterRevision,
  isLegacyRevision,
  type LegacyRevision,
  newestLegacyRevision,
  revisionNamed,
} from "./find-revision.ts";
export {
  chooseRevision,
  type InitializeOffer,
  parseInitializeParams,
  toInitializeResult,
} from "./handshake/accept-initialize.ts";
export {
  hasTaskTools,
  type InitializeParams,
  type InitializeResult,
  ignoredTasksOf,
  type LegacyServerCapabilities,
  parseInitializeResult,
  toDiscoverResult,
} from "./handshake/initialize.ts";
export { isCoreTaskMethod, isModernOnlyMethod, legacyMethod, legacyNotification } from "./handshake/methods.ts";
export type { Revision, RevisionTraits, ServerRequest, SessionEnvelope } from "./revision.ts";
