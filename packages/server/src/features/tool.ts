// Tool definitions (E.9), compiled once for all requests.
import {
  type CallToolResult,
  type ContentBlock,
  type CreateValidator,
  checkOptions,
  type JsonObject,
  type KnownOptions,
  type ParamHeader,
  parseParamHeaders,
  type StandardResult,
  type Tool,
  type ToolAnnotations,
  withTaskSupport,
} from "@lethe/protocol";
import { requireSession, type SessionDefinition } from "../session/session.ts";
import { withHandles } from "../session/session-arguments.ts";
import type { Context } from "./context.ts";
import { defining, placeOf } from "./defining.ts";
import { createFeature, type Feature, type FeatureOptions, knownFeatureOptions, toListed } from "./feature.ts";
import type { Forward } from "./forward.ts";
import { InputRequired } from "./input-required.ts";
import type { Check } from "./json-check.ts";
import type { Awaitable, HintUnknown } from "./literal-hint.ts";
import { compileObjectSchema, compileSchema, type InputOf, type OutputOf, type Schema } from "./schema.ts";
import { knownTaskPolicy, type TaskMode, type TaskPolicy, toTaskPolicy } from "./task-policy.ts";
import { isThenable } from "./thenable.ts";
import { toCheckedToolResult, toToolResult } from "./tool-result.ts";

/** The arguments of a handler after validation; an empty object for a tool without an input schema. */
export type ArgsOf<I> = I extends Schema
  ? unknown extends OutputOf<I>
    ? JsonObject
    : OutputOf<I>
  : Record<string, never>;

/** A complete tool result. */
export interface FullToolResult<Structured = unknown> {
  content: ContentBlock[];
  structuredContent?: Structured;
  isError?: boolean;
  _meta?: JsonObject;
}

/**
 * With an output schema, a handler returns its input type. Without one, a string becomes text, content blocks become
 * content, undefined becomes no content, and any other value becomes structured content with its JSON as text.
 */
export type ToolReturn<O> = O extends Schema
  ? HandlerResult<HintUnknown<InputOf<O>>>
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement has this type.
    string | number | boolean | object | null | undefined | void;

/** What a handler with an output schema returns: the data, a complete result, or input requests. */
export type HandlerResult<Data> = Data | FullToolResult<Data> | InputRequired;

/** Adds a tool to the types of a server. A name that is unknown at compile time adds nothing. */
export type WithTool<Tools, Name extends string, I, O> = string extends Name
  ? Tools
  : Tools & { readonly [N in Name]: { readonly input: CallArgsOf<I>; readonly output: OutputOf<O> } };

/** The arguments of a caller before validation. */
type CallArgsOf<I> = I extends Schema ? InputOf<I> : Record<string, never>;

/**
 * The schemas of a tool. `server.tool` takes them as a type of their own: the compiler then infers them from options that have another
 * mistake as well, such as a missing handler, and reports that mistake.
 */
export interface ToolSchemas<I extends Schema | undefined, O extends Schema | undefined> {
  /** The schema of the arguments, an object. Properties may have `x-mcp-header`. Default: no arguments. */
  inputSchema?: I;
  /** The schema of `structuredContent`, which each result is validated against. Default: results have no structured content. */
  outputSchema?: O;
}

/** Options of `server.tool`. */
export interface ToolOptions<
  I extends Schema | undefined,
  O extends Schema | undefined,
  R extends ToolReturn<O> = ToolReturn<O>,
> extends FeatureOptions,
    ToolSchemas<I, O> {
  /** Hints about the behavior of the tool, such as `readOnlyHint`. Clients do not have to trust them. */
  annotations?: ToolAnnotations;
  /** Whether a call may become a task. Default "never". */
  task?: TaskMode | TaskPolicy;
  /** The sessions that the handler opens with `ctx.session`. Their handles become optional arguments. Default: none. */
  sessions?: readonly SessionDefinition[];
  /**
   * Runs a call with validated arguments. Throw ToolError for an error that the model may read. The text of other errors stays in this
   * process.
   */
  handler(args: ArgsOf<I>, ctx: Context): Awaitable<R>;
}

const knownToolOptions: KnownOptions<ToolOptions<Schema, Schema>> = {
  ...knownFeatureOptions,
  inputSchema: true,
  outputSchema: true,
  annotations: {
    title: true,
    readOnlyHint: true,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: true,
  },
  task: knownTaskPolicy,
  sessions: "an array?",
  handler: "a function",
};

/** Built once per definition and shared by all requests. */
export interface ToolDefinition {
  /** The entry in tools/list. */
  readonly tool: Tool;
  readonly feature: Feature;
  readonly paramHeaders: readonly ParamHeader[];
  readonly task: TaskPolicy;
  /** Undefined for a tool without sessions. */
  readonly sessions?: readonly SessionDefinition[] | undefined;
  /** Set for a tool of another server, which answers instead of `validateInput` and `run`. */
  readonly forward?: Forward | undefined;
  /** Validates and converts the arguments; issues are reported to the model. */
  validateInput(args: JsonObject): StandardResult<unknown> | Promise<StandardResult<unknown>>;
  /** Runs the handler and converts its return value to a result. Throws the errors of the handler, or rejects with them. */
  run(args: unknown, ctx: Context): Awaitable<CallToolResult | InputRequired>;
}

/** E-66 */
const legalName = /^[A-Za-z0-9_.-]{1,128}$/;

/** Returns the name. Throws an Error for a name that the protocol does not allow. */
export function requireToolName(name: string): string {
  return defining(`tool ${JSON.stringify(name)}: name`, () => {
    if (!legalName.test(name)) throw new Error("1 to 128 of A-Z a-z 0-9 _ - . expected");
    return name;
  });
}

/** Throws an Error that names the tool and the invalid field. */
export function createTool<I extends Schema | undefined, O extends Schema | undefined>(
  name: string,
  options: ToolOptions<I, O>,
  createValidator?: CreateValidator,
): ToolDefinition {
  const place = placeOf("tool", name);
  checkOptions(place, options, knownToolOptions);
  requireToolName(name);
  const { inputSchema, outputSchema, sessions } = options;
  for (const session of sessions ?? []) requireSession(place, session);
  const takes = defining(`${place}: inputSchema`, () => {
    const compiled = inputSchema && compileObjectSchema(inputSchema, { direction: "input", createValidator });
    const paramHeaders = compiled ? parseParamHeaders(compiled.jsonSchema) : [];
    return { ...(sessions ? withHandles(compiled ?? noInput, sessions) : (compiled ?? noInput)), paramHeaders };
  });
  const gives = defining(
    `${place}: outputSchema`,
    () => outputSchema && compileSchema(outputSchema, { direction: "output", createValidator }),
  );
  const tool: Tool = {
    name,
    ...toListed(options),
    inputSchema: takes.jsonSchema,
    ...(gives && { outputSchema: gives.jsonSchema }),
    ...(options.annotations && { annotations: options.annotations }),
  };
  const task = defining(`${place}: task`, () => toTaskPolicy(options.task));
  const toResult = (returned: unknown): Awaitable<CallToolResult | InputRequired> => {
    if (returned instanceof InputRequired) return returned;
    return gives === undefined ? toToolResult(returned) : toCheckedToolResult(returned, gives.check);
  };
  if (task.mode !== "never") withTaskSupport(tool, task.mode === "always" ? "required" : "optional");
  return {
    tool,
    feature: createFeature("tool", name, options, inputSchema && takes.jsonSchema),
    paramHeaders: takes.paramHeaders,
    task,
    sessions,
    validateInput: takes.check,
    run(args, ctx) {
      const returned: unknown = options.handler(args as ArgsOf<I>, ctx);
      return isThenable(returned) ? Promise.resolve(returned).then(toResult) : toResult(returned);
    },
  };
}

/** The input schema of a tool without arguments. */
const noInput: { jsonSchema: JsonObject; check: Check } = {
  jsonSchema: { type: "object", additionalProperties: false },
  check(args) {
    for (const member in args as JsonObject) return { issues: [{ path: [member], message: "is not allowed here" }] };
    return { value: args };
  },
};
