// Creates a server: one object, defined once and served by any edge.
import {
  checkOptions,
  type Dispatch,
  type Implementation,
  isExtensionId,
  isJsonObject,
  type JsonObject,
  type Middleware,
  nameOf,
  overloaded,
  parseImplementation,
  type ServerCapabilities,
} from "@lethe/protocol";
import type { AppOptions } from "./apps/app-definition.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import { systemClock } from "./clock/clock.ts";
import { type BuiltParts, createServerParts } from "./create-server-parts.ts";
import { coreMethods } from "./dispatch/core-methods.ts";
import { createDispatch } from "./dispatch/create-dispatch.ts";
import { ExtensionSet } from "./extension-set.ts";
import { placeOf } from "./features/defining.ts";
import { createPrompt, type PromptOptions, type PromptSchema } from "./features/prompt.ts";
import { createResource, type ResourceOptions } from "./features/resource.ts";
import { createResourceTemplate, type ResourceTemplateOptions } from "./features/resource-template.ts";
import type { Schema } from "./features/schema.ts";
import { createTool, type ToolOptions, type ToolReturn, type ToolSchemas, type WithTool } from "./features/tool.ts";
import { ToolVersions } from "./features/tool-versions.ts";
import { failedAnswer } from "./http/answers.ts";
import { createFetchHandler, type FetchHandler } from "./http/fetch-handler.ts";
import type { CallbackEdge, LegacyEdge } from "./http/servable.ts";
import type { Method } from "./methods/method.ts";
import { checkRawMethod, createRawMethod, type RawHandler, type RawMethodOptions } from "./methods/raw-method.ts";
import { logError, reportFetchError } from "./methods/report-error.ts";
import { type LocalServer, registerLocalServer } from "./mounts/local-server.ts";
import { knownMountOptions, type Mountable, type MountOptions, type WithMount } from "./mounts/mount-options.ts";
import { Mounts } from "./mounts/mounts.ts";
import { plugLegacy } from "./plug-legacy.ts";
import { keysFromEnvironment } from "./seal/environment-keys.ts";
import { createKeyRing } from "./seal/key-ring.ts";
import { PlatformKeyRing } from "./seal/platform-keys.ts";
import type { Server } from "./server.ts";
import type { ServerExtension } from "./server-extension.ts";
import { knownImplementation, knownServerOptions, type ServerOptions } from "./server-options.ts";
import { type SkillsOptions, skills } from "./skills.ts";
import type { Change } from "./subscriptions/change.ts";

/** How long a client should wait before it retries elsewhere, in ms. */
const retryAfterMs = 1_000;

/**
 * Creates a server. Add tools, prompts, resources and middleware, and pass it to `serve` or `serveStdio` of @lethe/server/node, or
 * export its `fetch`. Throws an Error that names the option or definition that is wrong.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 * import { connect } from "@lethe/client/node";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.tool("greet", { handler: () => "Hello!" });
 *
 * const serving = await serve(server, { port: 0 });
 * const client = await connect(serving.url);
 * const { content } = await client.callTool("greet");
 * console.log(content[0]); // { type: 'text', text: 'Hello!' }
 * await client.close();
 * await serving.close();
 */
export function createServer(info: Implementation, options: ServerOptions = {}): Server {
  checkOptions("createServer", options, knownServerOptions);
  checkOptions("createServer: info", info, knownImplementation);
  if (parseImplementation(info) === undefined) throw new Error("createServer: info needs a name and a version");
  return new DefinedServer(info, options);
}

/** Members that an edge uses are own properties, so that `{ ...server, dispatch }` is a servable too. */
class DefinedServer implements Server {
  readonly info: Implementation;
  readonly authenticator: Authenticator | undefined;
  readonly legacy: LegacyEdge | undefined;
  readonly callbacks: CallbackEdge | undefined;
  readonly #options: ServerOptions;
  readonly #capabilities: ServerCapabilities;
  readonly #methods = new Map<string, Method>(coreMethods);
  readonly #middleware: Middleware[] = [];
  readonly #extensions: ExtensionSet;
  readonly #built: BuiltParts;
  readonly #notifier: BuiltParts["notifier"];
  readonly #platformKeys: PlatformKeyRing | undefined;
  #answer: Dispatch;
  #toResponse: FetchHandler | undefined;
  #isClosed = false;
  readonly #versions: ToolVersions;
  readonly #local: LocalServer;
  #mounts: Mounts | undefined;

  constructor(info: Implementation, options: ServerOptions) {
    this.info = info;
    this.authenticator = options.auth;
    this.#options = options;
    this.#capabilities = { ...options.capabilities };
    const keys = options.keys ?? keysFromEnvironment();
    const ring = typeof keys === "function" ? new PlatformKeyRing(keys) : createKeyRing(keys);
    this.#platformKeys = ring instanceof PlatformKeyRing ? ring : undefined;
    const hasMounts = () => this.#mounts?.hasForwards === true;
    this.#built = createServerParts(info, options, { ring, capabilities: this.#capabilities, hasMounts });
    this.callbacks = this.#built.callbacks;
    this.#notifier = this.#built.notifier;
    const { resources } = this.#built.parts.registry;
    this.#extensions = new ExtensionSet(this, {
      maySeeResource: (uri, caller) => resources.get(uri, caller) !== undefined,
      hidesResources: () => resources.mayHide,
    });
    this.#answer = this.#createAnswer();
    this.legacy = plugLegacy({ dispatch: this.dispatch, info, ring }, options);
    this.#versions = new ToolVersions(this.#built.parts.registry.tools);
    this.#local = this.#toLocalServer();
    registerLocalServer(this.#local);
  }

  readonly dispatch: Dispatch = (request, exchange) => {
    if (this.#isClosed) return Promise.reject(overloaded("the server is shutting down", retryAfterMs));
    this.#notifier.begin();
    const waiting = this.#extensions.readyWith(this.#mounts?.ready());
    if (waiting === undefined) return this.#answer(request, exchange);
    return waiting.then(() => this.#answer(request, exchange));
  };

  readonly fetch: Server["fetch"] = (request, environment) => {
    try {
      this.#platformKeys?.read(environment);
    } catch (error) {
      reportFetchError(this.#options.onError ?? logError, error);
      const { status, headers, body } = failedAnswer;
      return Promise.resolve(new Response(body, { status, headers }));
    }
    this.#toResponse ??= createFetchHandler(this, this.#options.http);
    return this.#toResponse(request);
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#built.parts.hub.close();
    this.legacy?.close();
    await this.#mounts?.close();
    await this.#built.parts.tasks.close();
    // Last, because running tasks may use what an extension holds.
    await this.#extensions.close();
  };

  tool<
    const Name extends string,
    I extends Schema | undefined = undefined,
    O extends Schema | undefined = undefined,
    R extends ToolReturn<O> = ToolReturn<O>,
  >(name: Name, options: ToolSchemas<I, O> & ToolOptions<I, O, R>): Server<WithTool<unknown, Name, I, O>> {
    const { tasks } = this.#built.parts;
    const definition = createTool(name, options, this.#options.createValidator);
    this.#versions.add(definition);
    if (definition.task.mode !== "never" && tasks.settings.store.isDurable) tasks.begin();
    // The type parameter exists only for the compiler.
    return this as Server<unknown> as Server<never>;
  }

  resource(uri: string, options: ResourceOptions): this {
    this.#built.parts.registry.resources.add(uri, createResource(uri, options));
    return this;
  }

  resourceTemplate<const Template extends string>(
    uriTemplate: Template,
    options: ResourceTemplateOptions<Template>,
  ): this {
    this.#built.parts.registry.resourceTemplates.add(uriTemplate, createResourceTemplate(uriTemplate, options));
    return this;
  }

  prompt<I extends Schema | undefined = undefined>(name: string, options: PromptSchema<I> & PromptOptions<I>): this {
    this.#built.parts.registry.prompts.add(name, createPrompt(name, options, this.#options.createValidator));
    return this;
  }

  removeTool(name: string): boolean {
    this.#extensions.forgetApp(name);
    return this.#versions.remove(name);
  }

  removeResource(uri: string): boolean {
    return this.#built.parts.registry.resources.remove(uri);
  }

  removeResourceTemplate(uriTemplate: string): boolean {
    return this.#built.parts.registry.resourceTemplates.remove(uriTemplate);
  }

  removePrompt(name: string): boolean {
    return this.#built.parts.registry.prompts.remove(name);
  }

  method(name: string, handler: RawHandler, options: RawMethodOptions = {}): this {
    checkRawMethod(name, handler, options);
    const { extension } = options;
    if (this.#methods.get(name) !== coreMethods.get(name)) {
      throw new Error(`method ${JSON.stringify(name)} is already registered`);
    }
    if (extension !== undefined && !isAdvertised(this.#capabilities, extension)) this.extension(extension);
    this.#methods.set(name, createRawMethod(handler, options));
    return this;
  }

  extension(id: string, settings: JsonObject = {}): this {
    if (!isExtensionId(id)) throw new Error(`extension ${JSON.stringify(id)}: a prefix, a slash and a name expected`);
    this.#capabilities.extensions = { ...this.#capabilities.extensions, [id]: settings };
    this.#built.advertiser.refresh();
    return this;
  }

  mount<const Prefix extends string, M extends Mountable>(
    prefix: Prefix,
    server: M | Dispatch,
    options: MountOptions = {},
  ): Server<WithMount<unknown, Prefix, M>> {
    checkOptions(placeOf("mount", prefix), options, knownMountOptions);
    this.#mounts ??= new Mounts(this.#local);
    this.#mounts.add(prefix, server, options);
    const { registry, tasks } = this.#built.parts;
    if (tasks.settings.store.isDurable) {
      for (const { task } of registry.tools.all()) if (task.mode !== "never") tasks.begin();
    }
    return this as Server<unknown> as Server<never>;
  }

  app<Name extends string, I extends Schema | undefined, O extends Schema | undefined, R extends ToolReturn<O>>(
    name: Name,
    options: AppOptions<I, O, R>,
  ): Server<WithTool<unknown, Name, I, O>> {
    return this.#extensions.addApp(name, options);
  }

  skills(folder: string | URL, options?: SkillsOptions): this {
    return this.use(skills(folder, options));
  }

  use(added: Middleware | ServerExtension): this {
    if (typeof added !== "function" && !isJsonObject(added))
      throw new Error(`use: a function expected as middleware, or an extension with an "id", got ${nameOf(added)}`);
    if (this.#local.isMounted) throw new Error("use: the server is mounted already; add its middleware before");
    const middleware = typeof added === "function" ? added : this.#extensions.add(added);
    if (middleware) this.#middleware.push(middleware);
    this.#answer = this.#createAnswer();
    return this;
  }

  toolsChanged(): void {
    this.#announce({ kind: "tools" });
  }

  promptsChanged(): void {
    this.#announce({ kind: "prompts" });
  }

  resourcesChanged(): void {
    this.#announce({ kind: "resources" });
  }

  resourceUpdated(uri: string): void {
    this.#announce({ kind: "resource", uri });
  }

  #announce(change: Change): void {
    for (const listener of this.#local.onChange) listener(change);
  }

  #toLocalServer(): LocalServer {
    const { registry, hub } = this.#built.parts;
    return {
      name: this.info.name,
      dispatch: this.dispatch,
      registry,
      clock: this.#options.clock ?? systemClock,
      visible: this.#options.visible,
      hasAuthenticator: this.authenticator !== undefined,
      hasMiddleware: () => this.#middleware.length > 0,
      replacedMethods: () => [...coreMethods].flatMap(([name, own]) => (this.#methods.get(name) === own ? [] : [name])),
      mounts: () => this.#mounts,
      onChange: [(change) => hub.publish(change)],
      isMounted: false,
    };
  }

  #createAnswer(): Dispatch {
    const { parts, resultMeta } = this.#built;
    return createDispatch({ parts, methods: this.#methods, middleware: this.#middleware, resultMeta });
  }
}

function isAdvertised({ extensions }: ServerCapabilities, id: string): boolean {
  return extensions !== undefined && Object.hasOwn(extensions, id);
}
