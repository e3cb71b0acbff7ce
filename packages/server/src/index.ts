// The door of @lethe/server: define a server once, and serve it on any runtime. What needs Node is in @lethe/server/node.

// the server
export { createServer, type Server } from "./create-server.ts";
export type { Answer, ElicitInput } from "./features/answer.ts";
// features: what an author defines, and what a handler gets and returns
export type { Completer, CompletionContext, Completions } from "./features/completion.ts";
export {
  audio,
  type BlockOptions,
  type EmbeddedOptions,
  embedded,
  image,
  type LinkOptions,
  link,
  text,
} from "./features/content.ts";
export type { AskOptions, ClientView, Context, ElicitAnswer } from "./features/context.ts";
export type { Feature, FeatureKind, FeatureOptions, Visibility } from "./features/feature.ts";
export { InputRequired, type InputRequiredOptions, inputRequired } from "./features/input-required.ts";
export type { PromptArgsOf, PromptOptions, PromptReturn } from "./features/prompt.ts";
export type { ListCaches, ListKind } from "./features/registry.ts";
export type { ResourceOptions, ResourceReturn } from "./features/resource.ts";
export type { ResourceTemplateOptions } from "./features/resource-template.ts";
export type { InputOf, OutputOf, Schema } from "./features/schema.ts";
export type { ArgsOf, FullToolResult, ToolOptions, ToolReturn } from "./features/tool.ts";
export { isToolError, ToolError } from "./features/tool-error.ts";
export type { UriVariables } from "./features/uri-variables.ts";
// methods: the raw level, and what the log gets
export type { RawHandler, RawMethodOptions } from "./methods/raw-method.ts";
export type { ErrorInfo, OnError } from "./methods/report-error.ts";
export type { ServerOptions } from "./server-options.ts";
