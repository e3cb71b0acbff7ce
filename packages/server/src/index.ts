// The entry point of @lethe/server: define a server. Subpaths: /node serves it, /auth, /middleware, /stores and /edge.

export {
  incompatibleVersionOf,
  isElicitResult,
  isMcpError,
  McpError,
  type Middleware,
} from "@lethe/protocol";
export { createServer } from "./create-server.ts";
export type { Callback, CallbackOptions } from "./features/callback.ts";
export type { Completer, Completions } from "./features/completion.ts";
export { audio, embedded, image, link, text } from "./features/content.ts";
export type { ClientView, Context, ElicitAnswer, InputRequestOptions } from "./features/context.ts";
export type { Duration } from "./features/duration.ts";
export type { CallerRule, Feature, FeatureOptions, Visibility } from "./features/feature.ts";
export { type InputRequired, inputRequired } from "./features/input-required.ts";
export type { PromptArgsOf, PromptOptions, PromptReturn } from "./features/prompt.ts";
export type { ResourceOptions, ResourceReturn } from "./features/resource.ts";
export type { ResourceTemplateOptions } from "./features/resource-template.ts";
export type { InputOf, OutputOf, Schema } from "./features/schema.ts";
export type { TaskMode, TaskPolicy } from "./features/task-policy.ts";
export type { ArgsOf, FullToolResult, ToolOptions, ToolReturn } from "./features/tool.ts";
export { isToolError, ToolError } from "./features/tool-error.ts";
export type { UriVariables } from "./features/uri-variables.ts";
export { InputDeclined, isInputDeclined } from "./interaction/input-declined.ts";
export { exposeErrors } from "./methods/expose-errors.ts";
export type { RawHandler } from "./methods/raw-method.ts";
export type { OnError } from "./methods/report-error.ts";
export type {
  FeatureSelection,
  Mountable,
  MountedDefinition,
  MountOptions,
} from "./mounts/mount-options.ts";
export type { ReadKeys } from "./seal/platform-keys.ts";
export type { Server } from "./server.ts";
export type { ServerOptions } from "./server-options.ts";
export type { OpenSession } from "./session/open-session.ts";
export { type SessionDefinition, type SessionOptions, session } from "./session/session.ts";
