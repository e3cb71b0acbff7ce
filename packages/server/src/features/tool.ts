// Tools as an author defines them (E.9), and the one form in which they answer requests.
import {
  type CallToolResult,
  type ContentBlock,
  type CreateValidator,
  type JsonObject,
  type ParamHeader,
  parseParamHeaders,
  type StandardResult,
  type Tool,
  type ToolAnnotations,
  withTaskSupport,
} from "@lethe/protocol";
import type { Context } from "./context.ts";
import { defining } from "./defining.ts";
import { createFeature, type Feature, type FeatureOptions, toListed } from "./feature.ts";
import { InputRequired } from "./input-required.ts";
import type { Check } from "./json-check.ts";
import { compileObjectSchema, compileSchema, type InputOf, type OutputOf, type Schema } from "./schema.ts";
import { type TaskMode, type TaskPolicy, toTaskPolicy } from "./task-policy.ts";
import { toCheckedToolResult, toToolResult } from "./tool-result.ts";

/** What a handler gets: the accepted arguments, or an empty object when the tool takes none. */
export type ArgsOf<I> = I extends Schema
  ? unknown extends OutputOf<I>
    ? JsonObject
    : OutputOf<I>
  : Record<string, never>;

/** A result in full, for whoever wants to say all of it. */
export interface FullToolResult<Structured = unknown> {
  content: ContentBlock[];
  structuredContent?: Structured;
  isError?: boolean;
  _meta?: JsonObject;
}

/**
 * With an output schema a handler returns what the schema takes. Without one: a string is text, content blocks are
 * content, nothing is no content, and any other value is structured content with its JSON as text.
 */
export type ToolReturn<O> = O extends Schema
  ? InputOf<O> | FullToolResult<InputOf<O>> | InputRequired
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement has this type.
    string | number | boolean | object | null | undefined | void;

/** What callers know of `Tools` and one more. A name that is not known when compiling adds nothing. */
export type WithTool<Tools, Name extends string, I, O> = string extends Name
  ? Tools
  : Tools & { readonly [N in Name]: { readonly input: CallArgsOf<I>; readonly output: OutputOf<O> } };

/** What a caller gives, before the schema makes of it what the handler gets. */
type CallArgsOf<I> = I extends Schema ? InputOf<I> : Record<string, never>;

export interface ToolOptions<I extends Schema | undefined, O extends Schema | undefined> extends FeatureOptions {
  /** Of an object (E-67). Properties may carry `x-mcp-header` (B.4). */
  inputSchema?: I;
  outputSchema?: O;
  annotations?: ToolAnnotations;
  /** Whether a call may go on as a task (F-2). Default "never". */
  task?: TaskMode | TaskPolicy;
  handler(args: ArgsOf<I>, ctx: Context): ToolReturn<O> | Promise<ToolReturn<O>>;
}

/** Built once, at definition; shared by all requests. */
export interface ToolDefinition {
  /** As tools/list shows it. */
  readonly tool: Tool;
  readonly feature: Feature;
  readonly paramHeaders: readonly ParamHeader[];
  readonly task: TaskPolicy;
  /** Checks and converts the arguments; an issue is told to the model (J-9). */
  validateInput(args: JsonObject): StandardResult<unknown> | Promise<StandardResult<unknown>>;
  /** Runs the handler and turns whatever it returned into a result. Throws what the handler throws. */
  run(args: unknown, ctx: Context): Promise<CallToolResult | InputRequired>;
}

/** E-66 */
const legalName = /^[A-Za-z0-9_.-]{1,128}$/;

/** Throws an Error that names the tool and the field that is wrong. */
export function createTool<I extends Schema | undefined, O extends Schema | undefined>(
  name: string,
  options: ToolOptions<I, O>,
  createValidator?: CreateValidator,
): ToolDefinition {
  const place = `tool ${JSON.stringify(name)}`;
  defining(`${place}: name`, () => {
    if (!legalName.test(name)) throw new Error("1 to 128 of A-Z a-z 0-9 _ - . expected");
  });
  const { inputSchema, outputSchema } = options;
  const takes = defining(`${place}: inputSchema`, () => {
    const compiled = inputSchema && compileObjectSchema(inputSchema, { direction: "input", createValidator });
    return { ...(compiled ?? noInput), paramHeaders: compiled ? parseParamHeaders(compiled.jsonSchema) : [] };
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
  if (task.mode !== "never") withTaskSupport(tool, task.mode === "always" ? "required" : "optional");
  return {
    tool,
    feature: createFeature("tool", name, options, inputSchema && takes.jsonSchema),
    paramHeaders: takes.paramHeaders,
    task,
    validateInput: takes.check,
    async run(args, ctx) {
      const returned: unknown = await options.handler(args as ArgsOf<I>, ctx);
      if (returned instanceof InputRequired) return returned;
      return gives === undefined ? toToolResult(returned) : toCheckedToolResult(returned, gives.check);
    },
  };
}

/** E-67: what a tool without parameters takes. */
const noInput: { jsonSchema: JsonObject; check: Check } = {
  jsonSchema: { type: "object", additionalProperties: false },
  check(args) {
    for (const member in args as JsonObject) return { issues: [{ path: [member], message: "is not allowed here" }] };
    return { value: args };
  },
};
