// A client of one server: typed calls over a connection of any era (B.6, E.1 to E.10).
import {
  type CallToolResult,
  type ClientCapabilities,
  type CompleteParams,
  type CompleteResult,
  type CreateTaskResult,
  checkOptions,
  type DiscoverResult,
  type GetPromptResult,
  type InferOutput,
  type InputRequiredResult,
  isInputRequired,
  isTask,
  isTaskResult,
  type JsonObject,
  type ListenFilter,
  method,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
  type Result,
  type StandardSchema,
  type Tool,
} from "@lethe/protocol";
import type { Connection } from "../call/connection.ts";
import { TransportError } from "../call/transport-error.ts";
import { type AskedRequest, runRounds } from "../interaction/run-rounds.ts";
import type { Change } from "../subscriptions/change.ts";
import { knownListenFilter } from "../subscriptions/listen-filter.ts";
import type { Subscription } from "../subscriptions/subscriber.ts";
import { knownFollowOptions } from "../tasks/create-tasks.ts";
import type { TaskHandle } from "../tasks/follow-task.ts";
import type { RemoteTask } from "../tasks/remote-task.ts";
import { checkResult, type ResultShape } from "./check-result.ts";
import type { ClientExtension } from "./client-extension.ts";
import type { CallOptions, InteractiveOptions, ToolCallOptions } from "./client-options.ts";
import type { ClientParts } from "./client-parts.ts";
import { requireText } from "./first-argument.ts";
import { listKinds } from "./list-kinds.ts";
import { type ParsedToolResult, parseOutput } from "./parse-output.ts";
import { readList } from "./read-list.ts";
import type { ToolArgs, ToolCallRest, ToolName, ToolResult } from "./tool-call-types.ts";

/**
 * Calls reject with McpError for an error of the server and with TransportError for every other failure.
 * `Client<typeof server>` knows the tools of a server made by `createServer` of @lethe/server: their arguments and results.
 */
// biome-ignore lint/suspicious/noExplicitAny: a plain Client accepts the client of any server.
export class Client<Target = any> {
  readonly #parts: ClientParts;

  /** Created by `connect` and `createClient`. */
  constructor(parts: ClientParts) {
    this.#parts = parts;
  }

  /** The core contract, for middleware and gateways. Bypasses the cache and the handlers. */
  get connection(): Connection {
    return this.#parts.connection;
  }

  /** The server's description when the connection was opened. */
  get server(): DiscoverResult {
    return this.#parts.connection.server;
  }

  /** The capabilities that this client declares with every request. */
  get capabilities(): ClientCapabilities {
    return this.#parts.capabilities;
  }

  /**
   * Calls a tool. A result with `isError` resolves: the tool failed, not the call. If the server answers with a task, the
   * client follows it to its end. With `manual`, input requests and tasks are returned instead.
   */
  callTool<Name extends ToolName<Target>>(
    name: Name,
    args: ToolArgs<Target, Name>,
    options: ToolCallOptions & { manual: true },
  ): Promise<ToolResult<Target, Name> | InputRequiredResult | CreateTaskResult>;
  /** With `output`, validates structured content by that schema and returns the schema's value. */
  callTool<Name extends ToolName<Target>, S extends StandardSchema>(
    name: Name,
    args: ToolArgs<Target, Name>,
    options: ToolCallOptions & { output: S; manual?: false },
  ): Promise<ParsedToolResult<InferOutput<S>>>;
  callTool<Name extends ToolName<Target>>(
    name: Name,
    ...rest: ToolCallRest<Target, Name>
  ): Promise<ToolResult<Target, Name>>;
  callTool(
    name: string,
    args: JsonObject = {},
    options?: ToolCallOptions & { output?: StandardSchema },
  ): Promise<Result> {
    const result = this.#interact(method.callTool, name, { name, arguments: args }, shapes.tool, options);
    const { outputs } = this.#parts;
    return outputs || options?.output ? this.#checkOutput(name, result, options?.output) : result;
  }

  /** A handle for a task of an earlier call, by this client or another. */
  task({ taskId, tool }: TaskHandle): RemoteTask {
    const { tasks } = this.#parts;
    const handle: TaskHandle = tool === undefined ? { taskId } : { taskId, tool };
    return {
      handle,
      get: async (options) => tasks.get(taskId, signalOf(options)),
      update: async (responses, options) => tasks.update(taskId, { ...responses }, signalOf(options)),
      cancel: async (options) => tasks.cancel(taskId, signalOf(options)),
      result: async (options) => {
        checkOptions("task result", options, knownFollowOptions);
        return checkResult<CallToolResult>(await tasks.follow(handle, options), shapes.tool, this.#nameOf("a task"));
      },
    };
  }

  /** Reads a resource. With `manual`, input requests are returned instead of answered by the handlers. */
  readResource(
    uri: string,
    options: InteractiveOptions & { manual: true },
  ): Promise<ReadResourceResult | InputRequiredResult>;
  readResource(uri: string, options?: InteractiveOptions): Promise<ReadResourceResult>;
  readResource(uri: string, options?: InteractiveOptions): Promise<Result> {
    return this.#interact(method.readResource, uri, { uri }, shapes.resource, options);
  }

  /** Gets a prompt. With `manual`, input requests are returned instead of answered by the handlers. */
  getPrompt(
    name: string,
    args: { [name: string]: string } | undefined,
    options: InteractiveOptions & { manual: true },
  ): Promise<GetPromptResult | InputRequiredResult>;
  getPrompt(name: string, args?: { [name: string]: string }, options?: InteractiveOptions): Promise<GetPromptResult>;
  getPrompt(name: string, args: { [name: string]: string } = {}, options?: InteractiveOptions): Promise<Result> {
    return this.#interact(method.getPrompt, name, { name, arguments: args }, shapes.prompt, options);
  }

  /** Asks for completions of an argument of a prompt or resource template. */
  async complete(params: CompleteParams, options?: CallOptions): Promise<CompleteResult> {
    const result = await this.#parts.send(method.complete, { ...params }, options);
    return checkResult<CompleteResult>(result, shapes.completion, this.#nameOf(method.complete));
  }

  /** Asks the server for its description, or returns a cached one while it is fresh. */
  async discover(options?: CallOptions): Promise<DiscoverResult> {
    const result = await this.#parts.send(method.discover, {}, options);
    return checkResult<DiscoverResult>(result, shapes.discover, this.#nameOf(method.discover));
  }

  /** Iterates over every tool. Reads further pages on demand. */
  tools(options?: CallOptions): AsyncGenerator<Tool, undefined> {
    return readList(this.#parts, listKinds.tools, options);
  }

  /** Iterates over every resource. Reads further pages on demand. */
  resources(options?: CallOptions): AsyncGenerator<Resource, undefined> {
    return readList(this.#parts, listKinds.resources, options);
  }

  /** Iterates over every resource template. Reads further pages on demand. */
  resourceTemplates(options?: CallOptions): AsyncGenerator<ResourceTemplate, undefined> {
    return readList(this.#parts, listKinds.resourceTemplates, options);
  }

  /** Iterates over every prompt. Reads further pages on demand. */
  prompts(options?: CallOptions): AsyncGenerator<Prompt, undefined> {
    return readList(this.#parts, listKinds.prompts, options);
  }

  /** Reads all pages. */
  listTools(options?: CallOptions): Promise<Tool[]> {
    return collect(this.tools(options));
  }

  /** Reads all pages. */
  listResources(options?: CallOptions): Promise<Resource[]> {
    return collect(this.resources(options));
  }

  /** Reads all pages. */
  listResourceTemplates(options?: CallOptions): Promise<ResourceTemplate[]> {
    return collect(this.resourceTemplates(options));
  }

  /** Reads all pages. */
  listPrompts(options?: CallOptions): Promise<Prompt[]> {
    return collect(this.prompts(options));
  }

  /** Resolves when the server has acknowledged. The subscription survives broken streams until it is closed. */
  subscribe(filter: ListenFilter, onChange: (change: Change) => void): Promise<Subscription> {
    checkOptions("subscribe", filter, knownListenFilter);
    return this.#parts.subscriptions.subscribe(filter, onChange);
  }

  /** Sends any method and returns its raw result, including input requests. */
  request(name: string, params: JsonObject = {}, options?: CallOptions): Promise<Result> {
    return this.#parts.send(name, { ...params }, options);
  }

  /** Returns the calls of an extension that was passed to the option `extensions`. Throws an Error for any other. */
  extension<Api>(extension: ClientExtension<Api>): Api {
    return this.#parts.apis.apiOf(extension, this);
  }

  /** Cancels the open calls, ends the subscriptions and closes the connection. A command that was started is stopped. */
  async close(): Promise<void> {
    this.#parts.tasks.close();
    this.#parts.subscriptions.close();
    this.#parts.apis.close();
    await this.#parts.connection.close();
  }

  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #interact(
    name: string,
    target: string,
    params: JsonObject,
    shape: ResultShape,
    options: ToolCallOptions | undefined,
  ): Promise<Result> {
    requireText(name, target);
    const { send, handlers, rounds, serverName: server } = this.#parts;
    let result = await send(name, options?.input ? { ...params, ...options.input } : params, options);
    if (isInputRequired(result)) {
      if (options?.manual) return result;
      const asked: AskedRequest = {
        server,
        method: name,
        target,
        signal: options?.signal,
        retry: (input, signal) => send(name, { ...params, ...input }, { ...options, signal }),
      };
      result = await runRounds(result, asked, handlers, rounds);
    }
    if (isTaskResult(result)) {
      if (options?.manual) return result;
      result = await this.#follow(target, result, options);
    }
    return checkResult(result, shape, this.#nameOf(name));
  }

  #follow(tool: string, result: CreateTaskResult, options: ToolCallOptions | undefined): Promise<Result> {
    if (isTask(result)) return this.#parts.tasks.follow({ ...result, tool }, options);
    throw new TransportError("invalid", `${this.#nameOf(method.callTool)}: expected a task with an id and a status`);
  }

  async #checkOutput(tool: string, answer: Promise<Result>, schema: StandardSchema | undefined): Promise<Result> {
    const result = await answer;
    if (isInputRequired(result) || isTaskResult(result)) return result;
    const checked = (await this.#parts.outputs?.check(tool, result as CallToolResult)) ?? (result as CallToolResult);
    return schema ? await parseOutput(checked, schema, `${this.#nameOf(method.callTool)}: ${tool}`) : checked;
  }

  #nameOf(name: string): string {
    return `${name} to ${this.#parts.serverName}`;
  }
}

const shapes = {
  tool: { member: "content", kind: "array" },
  resource: { member: "contents", kind: "array" },
  prompt: { member: "messages", kind: "array" },
  completion: { member: "completion", kind: "object" },
  discover: { member: "supportedVersions", kind: "array" },
} as const satisfies Record<string, ResultShape>;

function signalOf(options: { signal?: AbortSignal } | undefined): AbortSignal | undefined {
  checkOptions("task", options, { signal: true });
  return options?.signal;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
