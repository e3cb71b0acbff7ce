// The entry point of @lethe/server: define a server. Subpaths: /node serves it, /auth, /middleware, /stores and /edge.

export {
  incompatibleVersionOf,
  isElicitResult,
  isMcpError,
  McpError,
  type Middleware,
} from "@lethe/protocol";
export { createServer } from "./create-server.ts";
export type { Callback } from "./features/callback.ts";
export type { Completer } from "./features/completion.ts";
export { audio, embedded, image, link, text } from "./features/content.ts";
export type { Context, ElicitAnswer } from "./features/context.ts";
export type { Feature, Visibility } from "./features/feature.ts";
export { type InputRequired, inputRequired } from "./features/input-required.ts";
export type { PromptOptions, PromptReturn } from "./features/prompt.ts";
export type { ResourceOptions, ResourceReturn } from "./features/resource.ts";
export type { ResourceTemplateOptions } from "./features/resource-template.ts";
export type { InputOf, OutputOf, Schema } from "./features/schema.ts";
export type { TaskPolicy } from "./features/task-policy.ts";
export type { ArgsOf, FullToolResult, ToolOptions, ToolReturn } from "./features/tool.ts";
export { isToolError, ToolError } from "./features/tool-error.ts";
export type { UriVariables } from "./features/uri-variables.ts";
export { InputDeclined, isInputDeclined } from "./interaction/input-declined.ts";
export { exposeErrors } from "./methods/expose-errors.ts";
export type { RawHandler } from "./methods/raw-method.ts";
export type { Mountable } from "./mounts/mount-options.ts";
export type { Server } from "./server.ts";
export type { ServerOptions } from "./server-options.ts";
export type { OpenSession } from "./session/open-session.ts";
export { type SessionDefinition, session } from "./session/session.ts";
