// The public face of a server: definitions, notifications, and what an edge serves.
import type { Dispatch, HasToolTypes, Implementation, JsonObject, Middleware } from "@lethe/protocol";
import type { AppOptions } from "./apps/app-definition.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import type { PromptOptions, PromptSchema } from "./features/prompt.ts";
import type { ResourceOptions } from "./features/resource.ts";
import type { ResourceTemplateOptions } from "./features/resource-template.ts";
import type { Schema } from "./features/schema.ts";
import type { ToolOptions, ToolReturn, ToolSchemas, WithTool } from "./features/tool.ts";
import type { LegacyEdge } from "./http/servable.ts";
import type { RawHandler, RawMethodOptions } from "./methods/raw-method.ts";
import type { Mountable, MountOptions, WithMount } from "./mounts/mount-options.ts";
import type { ServerExtension } from "./server-extension.ts";
import type { SkillsOptions } from "./skills.ts";

/** A server with its features, which may change while it runs. Definitions throw an Error that names the feature and the field. */
export interface Server<Tools = unknown> extends HasToolTypes<Tools> {
  /** The name and version of the server. */
  readonly info: Implementation;
  /** Chained calls collect the types of the tools: `Client<typeof server>` knows their arguments and results. */
  tool<
    const Name extends string,
    I extends Schema | undefined = undefined,
    O extends Schema | undefined = undefined,
    R extends ToolReturn<O> = ToolReturn<O>,
  >(name: Name, options: ToolSchemas<I, O> & ToolOptions<I, O, R>): Server<WithTool<Tools, Name, I, O>>;
  /**
   * Adds an MCP App: a tool, and the user interface that shows its result in clients with MCP Apps. Other clients get the content of the
   * result, or what `text` makes of it. Throws an Error that names the app and the option that is wrong.
   *
   * @example
   * import { createServer } from "@lethe/server";
   *
   * const server = createServer({ name: "clock", version: "1.0.0" });
   * server.app("now", {
   *   html: "<h1>It is time.</h1>",
   *   tool: { description: "Shows the time", handler: () => new Date().toISOString() },
   * });
   */
  app<
    const Name extends string,
    I extends Schema | undefined = undefined,
    O extends Schema | undefined = undefined,
    R extends ToolReturn<O> = ToolReturn<O>,
  >(name: Name, options: AppOptions<I, O, R>): Server<WithTool<Tools, Name, I, O>>;
  /**
   * Serves skills (SEP-2640): a folder that contains a folder with a SKILL.md for each. Changes of the folder are noticed. Throws an Error that
   * names the folder or the option that is wrong; a skill that is invalid is left out and reported to the option `onProblem`.
   */
  skills(folder: string | URL, options?: SkillsOptions): Server<Tools>;
  /** Adds a resource with a fixed URI. Throws an Error that names the option that is wrong. */
  resource(uri: string, options: ResourceOptions): Server<Tools>;
  /** Adds the resources whose URIs match an RFC 6570 template. Throws an Error that names the option that is wrong. */
  resourceTemplate<const Template extends string>(
    uriTemplate: Template,
    options: ResourceTemplateOptions<Template>,
  ): Server<Tools>;
  /** Adds a prompt. Throws an Error that names the option that is wrong. */
  prompt<I extends Schema | undefined = undefined>(
    name: string,
    options: PromptSchema<I> & PromptOptions<I>,
  ): Server<Tools>;
  /** Returns false when there is no such feature, like the other remove methods. */
  removeTool(name: string): boolean;
  /** Removes a resource by URI. Returns false if there is none. */
  removeResource(uri: string): boolean;
  /** Removes a resource template. Returns false if there is none. */
  removeResourceTemplate(uriTemplate: string): boolean;
  /** Removes a prompt by name. Returns false if there is none. */
  removePrompt(name: string): boolean;
  /** Adds a custom method, or replaces a core method. `capabilities` of the options then decide whether it is served. */
  method(name: string, handler: RawHandler, options?: RawMethodOptions): Server<Tools>;
  /** Advertises an extension. */
  extension(id: string, settings?: JsonObject): Server<Tools>;
  /**
   * Adds the features of another server, with `{prefix}__` before the names of its tools and prompts; URIs stay as they are. A server of this
   * process is flattened: a call of its tool costs nothing more, and it follows later changes. Options of the mounting server apply, such as
   * keys and tasks. Throws an Error that names the mount for a cycle and for a name that is taken.
   */
  mount<const Prefix extends string, M extends Mountable>(
    prefix: Prefix,
    server: M | Dispatch,
    options?: MountOptions,
  ): Server<WithMount<Tools, Prefix, M>>;
  /** Adds a middleware or an extension. The first middleware is the outermost. Throws an Error that names the extension and its wrong member. */
  use(added: Middleware | ServerExtension): Server<Tools>;
  /** Notifies subscribers of changes outside of this object. Changes made through it are published automatically. */
  toolsChanged(): void;
  /** Notifies subscribers that the list of prompts changed. */
  promptsChanged(): void;
  /** Notifies subscribers that the list of resources changed. */
  resourcesChanged(): void;
  /** Notifies subscribers that the contents of a resource changed. */
  resourceUpdated(uri: string): void;
  /** The function that every edge calls. */
  readonly dispatch: Dispatch;
  /**
   * Serves HTTP on platforms with fetch handlers: `export default { fetch: server.fetch }`. `environment` is for the option `keys`,
   * if that is a function. Every request gets 500 while the function finds no keys.
   */
  readonly fetch: (request: Request, environment?: unknown) => Promise<Response>;
  /** Authenticates HTTP requests. Undefined without authentication. */
  readonly authenticator: Authenticator | undefined;
  /** The edge for clients of older revisions, on the same URL or pipe. */
  readonly legacy: LegacyEdge | undefined;
  /** Ends open subscriptions gracefully and rejects new requests. */
  close(): Promise<void>;
}
