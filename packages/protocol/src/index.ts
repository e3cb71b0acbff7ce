// Entry point of @lethe/protocol: the neutral message model of MCP, for authors of servers, clients and proxies.
// dispatch: the core contract
export {
  type Caller,
  type Dispatch,
  type Exchange,
  type HeaderReader,
  type Middleware,
  onAbort,
  withMiddleware,
} from "./dispatch/dispatch.ts";
export {
  type TaskSupport,
  taskAugmentationOf,
  taskSupportOf,
  withTaskAugmentation,
  withTaskSupport,
} from "./dispatch/task-augmentation.ts";
export type { HasToolTypes, ToolType, ToolTypesOf } from "./dispatch/tool-types.ts";
// http: headers, status codes and event streams
export { affinityHeader, isAffinityHint } from "./http/affinity-header.ts";
export { decodeHeaderValue, encodeHeaderValue, trimFieldValue } from "./http/header-value.ts";
export {
  checkMethodHeaders,
  checkVersionHeader,
  methodHeader,
  nameHeader,
  protocolVersionHeader,
  toMirroredHeaders,
} from "./http/mirrored-headers.ts";
export { checkParamHeaders, type ParamHeader, parseParamHeaders, toParamHeaders } from "./http/param-headers.ts";
export { createSseDecoder, type SseDecoder, type SseDecoderOptions, type SseEvent } from "./http/sse-decode.ts";
export { type SseFields, sseKeepAlive, toSseEvent } from "./http/sse-encode.ts";
export { httpStatusOf } from "./http/status.ts";
export { StringBuilder } from "./http/string-builder.ts";
// json-schema: schemas of any library, and their limits
export { checkSchemaBounds, defaultDialect } from "./json-schema/bounds.ts";
export {
  type InferInput,
  type InferOutput,
  isStandardSchema,
  type StandardIssue,
  type StandardJsonSchemaConverter,
  type StandardResult,
  type StandardSchema,
  type StandardSchemaProps,
  type StandardSchemaV1,
  toJsonSchema,
} from "./json-schema/standard-schema.ts";
export type { CreateValidator, SchemaIssue, SchemaValidator } from "./json-schema/validator.ts";
export { type SchemaLimits, type SchemaPlace, walkSchema } from "./json-schema/walk-schema.ts";
// jsonrpc: JSON-RPC messages and errors
export { isDeeperThan } from "./jsonrpc/depth.ts";
export {
  errorCode,
  headerMismatch,
  invalidParams,
  isMcpError,
  type JsonRpcErrorObject,
  McpError,
  type McpErrorOptions,
  methodNotFound,
  missingClientCapability,
  overloaded,
  refusalOf,
  toErrorObject,
  tooManyRequests,
  unsupportedProtocolVersion,
} from "./jsonrpc/error.ts";
export {
  incompatibleVersion,
  incompatibleVersionOf,
} from "./jsonrpc/incompatible-version.ts";
export {
  isJsonObject,
  isNotification,
  isRequest,
  isRequestId,
  isResponse,
  type JsonObject,
  type JsonRpcErrorResponse,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type JsonRpcResultResponse,
  nameOf,
  parseJson,
  parseMessage,
  type RequestId,
} from "./jsonrpc/message.ts";
export { OpenMap } from "./jsonrpc/open-map.ts";
// memory: the budget for bytes held on behalf of peers
export {
  MemoryBudget,
  type MemoryHolding,
  type MemoryKind,
  memoryKinds,
  smallBytes,
} from "./memory/memory-budget.ts";
export { measureJson } from "./memory/parsed-size.ts";
export { processMemory } from "./memory/process-memory.ts";
// meta: the envelope of requests and results
export {
  type ClientCapabilities,
  canElicit,
  type ElicitationMode,
  type Icon,
  type Implementation,
  type ServerCapabilities,
} from "./meta/capabilities.ts";
export {
  clientCapabilitiesOf,
  clientInfoOf,
  hasModernMeta,
  type ModernRequest,
  type ProgressToken,
  parseEnvelope,
  parseImplementation,
  protocolVersionOf,
  type RequestMeta,
  type RequestParams,
  type TaskAugmentation,
} from "./meta/envelope.ts";
export { isExtensionId } from "./meta/extension-id.ts";
export { type Era, metaKey, modelRevision } from "./meta/keys.ts";
export {
  type CacheHints,
  type CacheScope,
  type Result,
  serverInfoOf,
  toResultText,
  withReadyText,
} from "./meta/result.ts";
export { type TraceContext, traceContextOf } from "./meta/trace-context.ts";
export type { HttpTransportName, TransportName } from "./meta/transport.ts";
// model: messages by feature, and the table of methods
export {
  type CompleteParams,
  type CompleteResult,
  type CompletionReference,
  maxCompletionValues,
  parseCompleteParams,
} from "./model/completion.ts";
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from "./model/content.ts";
export { type DiscoverResult, isDiscoverResult } from "./model/discover.ts";
export {
  type BooleanSchema,
  type ElicitFormParams,
  type ElicitRequest,
  type ElicitResult,
  type ElicitSchema,
  type ElicitUrlParams,
  type ElicitValue,
  type FieldSchema,
  isElicitResult,
  type MultiEnumSchema,
  type NumberSchema,
  type SingleEnumSchema,
  type StringSchema,
  type TitledConst,
} from "./model/elicitation.ts";
export {
  expectObject,
  expectOptionalBoolean,
  expectOptionalObject,
  expectOptionalString,
  expectString,
  unexpected,
} from "./model/expect.ts";
export { type AtGateway, appsExtension, atGateway, type ExtensionDeclaration } from "./model/extensions.ts";
export {
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  type InputResponse,
  type InputResponses,
  isInputRequestMethod,
  isInputRequired,
  isInputResponseTo,
  missingCapabilitiesFor,
  withParams,
} from "./model/input.ts";
export { answerUnder, type InputParams, isRetry, parseInputParams } from "./model/input-params.ts";
export {
  isCacheable,
  isExtensionMethod,
  isInputMethod,
  isOffered,
  isRepeatable,
  isTaskMethod,
  type MethodInfo,
  method,
  methodInfo,
  notificationMethod,
  publicTargetOf,
  type TargetKind,
  targetNameOf,
} from "./model/methods.ts";
export { nameSeparator, toOwnName, toPrefixedName } from "./model/names.ts";
export {
  isAtLeast,
  isLogLevel,
  type LogLevel,
  type LogMessage,
  logLevels,
  type Progress,
  toLogNotification,
  toProgress,
} from "./model/notifications.ts";
export { type Page, type PageParams, parsePageParams } from "./model/pagination.ts";
export {
  type GetPromptParams,
  type GetPromptResult,
  type ListPromptsResult,
  type Prompt,
  type PromptArgument,
  type PromptMessage,
  parseGetPromptParams,
  parseStringMap,
} from "./model/prompts.ts";
export {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  parseReadResourceParams,
  type ReadResourceParams,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
  resourceNotFound,
} from "./model/resources.ts";
export { isListRootsResult, type ListRootsRequest, type ListRootsResult, type Root } from "./model/roots.ts";
export {
  type CreateMessageParams,
  type CreateMessageRequest,
  type CreateMessageResult,
  isCreateMessageResult,
  type ModelPreferences,
  type SamplingContent,
  type SamplingMessage,
  type ToolResultContent,
  type ToolUseContent,
} from "./model/sampling.ts";
export {
  type ListenFilter,
  type ListenResult,
  parseListenFilter,
  type Told,
  toAcknowledged,
  toEveryChange,
  withSubscriptionId,
} from "./model/subscriptions.ts";
export {
  type CreateTaskResult,
  type DetailedTask,
  declaresTasks,
  type GetTaskResult,
  isDetailedTask,
  isTask,
  isTaskResult,
  isTerminal,
  parseTaskParams,
  parseUpdateTaskParams,
  requireTasks,
  type Task,
  type TaskStatus,
  taskStatuses,
  tasksExtension,
  type UpdateTaskParams,
} from "./model/tasks.ts";
export {
  type CallToolParams,
  type CallToolResult,
  type ListToolsResult,
  parseCallToolParams,
  type Tool,
  type ToolAnnotations,
} from "./model/tools.ts";
// options: errors when something is defined
export { checkOptions, type KnownOptions, pickOptions } from "./options/check-options.ts";
export { suggest } from "./options/suggest.ts";
// revisions: their names; `@lethe/protocol/revisions` has the rest
export { fromDraftError } from "./revisions/2026-07-28/error.ts";
export { dispatchRequest, toModelRequest } from "./revisions/convert.ts";
export { legacyRevisions, modernRevisions, requireSupportedVersion } from "./revisions/find-revision.ts";
// stdio: one message per line
export { ByteBuilder } from "./stdio/byte-builder.ts";
export { createLineDecoder, type LineDecoder, type LineDecoderOptions, toLine } from "./stdio/line-framing.ts";
