// Prompt definitions (E-82), compiled once for all requests.
import {
  type CreateValidator,
  checkOptions,
  type GetPromptResult,
  invalidParams,
  isJsonObject,
  type JsonObject,
  type KnownOptions,
  type Prompt,
  type PromptArgument,
  type PromptMessage,
} from "@lethe/protocol";
import { type Completer, toCompleters } from "./completion.ts";
import type { Context } from "./context.ts";
import { defining, placeOf } from "./defining.ts";
import { createFeature, type Feature, type FeatureOptions, knownFeatureOptions, toListed } from "./feature.ts";
import type { Forward } from "./forward.ts";
import { InputRequired } from "./input-required.ts";
import { toIssueText } from "./issue-text.ts";
import { toPromptResult } from "./prompt-result.ts";
import { type CompiledSchema, compileObjectSchema, type InputOf, type OutputOf, type Schema } from "./schema.ts";

/** The arguments of a prompt handler, by its `argsSchema`: strings, unless the schema converts them. */
export type PromptArgsOf<I> = I extends Schema
  ? unknown extends OutputOf<I>
    ? { readonly [name: string]: string }
    : OutputOf<I>
  : Record<string, never>;

type PromptArgName<I> = unknown extends InputOf<I> ? string : keyof InputOf<I> & string;

/** A string becomes one user message. */
export type PromptReturn =
  | string
  | PromptMessage
  | PromptMessage[]
  | { description?: string; messages: PromptMessage[]; _meta?: JsonObject }
  | InputRequired;

/** The schema of a prompt, as a type of its own for the reason that `ToolSchemas` gives. */
export interface PromptSchema<I extends Schema | undefined> {
  /** The schema of the arguments: an object whose members are strings on the wire; the schema may convert them. */
  argsSchema?: I;
}

/** Options of `server.prompt`. */
export interface PromptOptions<I extends Schema | undefined> extends FeatureOptions, PromptSchema<I> {
  /** Completes the values of arguments, by argument name. Default: no completions. */
  complete?: { readonly [Name in PromptArgName<I>]?: Completer };
  /**
   * Returns the messages of the prompt. Arguments were validated by `argsSchema`. An McpError that it throws is the
   * answer; any other error answers -32603 without its text.
   */
  handler(args: PromptArgsOf<I>, ctx: Context): PromptReturn | Promise<PromptReturn>;
}

const knownPromptOptions: KnownOptions<PromptOptions<Schema>> = {
  ...knownFeatureOptions,
  argsSchema: true,
  complete: true,
  handler: "a function",
};

/** Built once per definition and shared by all requests. */
export interface PromptDefinition {
  /** The entry in prompts/list. */
  readonly prompt: Prompt;
  readonly feature: Feature;
  /** Set for a feature of another server, which answers instead. */
  readonly forward?: Forward | undefined;
  readonly completers: ReadonlyMap<string, Completer>;
  /** Validates and converts the arguments. Rejects with an McpError -32602 that names the issue. */
  validateInput(args: { [name: string]: string }): Promise<unknown>;
  /** Runs the handler and converts its return value to a result. Throws the errors of the handler. */
  run(args: unknown, ctx: Context): Promise<GetPromptResult | InputRequired>;
}

/** Throws an Error that names the prompt and the invalid field. */
export function createPrompt<I extends Schema | undefined>(
  name: string,
  options: PromptOptions<I>,
  createValidator?: CreateValidator,
): PromptDefinition {
  const place = placeOf("prompt", name);
  checkOptions(place, options, knownPromptOptions);
  defining(`${place}: name`, () => {
    if (name === "") throw new Error("a text expected");
  });
  const { argsSchema, description } = options;
  const takes = defining(
    `${place}: argsSchema`,
    () => argsSchema && compileObjectSchema(argsSchema, { direction: "input", createValidator }),
  );
  const args = takes ? toArguments(takes.jsonSchema) : [];
  const names = args.map((arg) => arg.name);
  return {
    prompt: { name, ...toListed(options), ...(args.length > 0 && { arguments: args }) },
    feature: createFeature("prompt", name, options, takes?.jsonSchema),
    completers: defining(`${place}: complete`, () => toCompleters(options.complete, names)),
    validateInput: (given) => validate(given, takes),
    async run(checked, ctx) {
      const returned = await options.handler(checked as PromptArgsOf<I>, ctx);
      return returned instanceof InputRequired ? returned : toPromptResult(returned, description);
    },
  };
}

async function validate(given: { [name: string]: string }, takes: CompiledSchema | undefined): Promise<unknown> {
  if (takes === undefined) return {};
  const checked = await takes.check(given);
  if (checked.issues === undefined) return checked.value;
  throw invalidParams(`invalid prompt arguments: ${toIssueText(checked.issues)}`);
}

/** The properties of the schema, in its order. */
function toArguments({ properties, required }: JsonObject): PromptArgument[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const { title, description } = isJsonObject(property) ? property : {};
    return {
      name,
      ...(typeof title === "string" && { title }),
      ...(typeof description === "string" && { description }),
      required: Array.isArray(required) && required.includes(name),
    };
  });
}
