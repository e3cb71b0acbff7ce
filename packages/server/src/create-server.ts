// Creates a server: one object, defined once and served by any edge.
import {
  type Dispatch,
  type HasToolTypes,
  type Implementation,
  type JsonObject,
  type Middleware,
  metaKey,
  overloaded,
  parseImplementation,
  type ServerCapabilities,
} from "@lethe/protocol";
import type { Authenticator } from "./auth/authenticator.ts";
import { createChangeNotifier } from "./dispatch/change-notifier.ts";
import { coreMethods } from "./dispatch/core-methods.ts";
import { createDispatch } from "./dispatch/create-dispatch.ts";
import { createPrompt, type PromptOptions } from "./features/prompt.ts";
import { createRegistry, toListCache } from "./features/registry.ts";
import { createResource, type ResourceOptions } from "./features/resource.ts";
import { createResourceTemplate, type ResourceTemplateOptions } from "./features/resource-template.ts";
import type { Schema } from "./features/schema.ts";
import { createTool, type ToolOptions, type WithTool } from "./features/tool.ts";
import { createFetchHandler, type FetchHandler } from "./http/fetch-handler.ts";
import type { LegacyEdge } from "./http/servable.ts";
import { createInteractionSettings } from "./interaction/settings.ts";
import { createAdvertiser } from "./methods/advertisement.ts";
import { mayFollow } from "./methods/find-task.ts";
import { createHandlerFingerprints } from "./methods/handler-fingerprints.ts";
import type { Method } from "./methods/method.ts";
import { createRawMethod, type RawHandler, type RawMethodOptions } from "./methods/raw-method.ts";
import { createReportError, createReportTaskError, logError } from "./methods/report-error.ts";
import { resumeTool } from "./methods/run-tool.ts";
import type { ServerParts } from "./methods/server-parts.ts";
import { mayWatch, toChangeKinds } from "./methods/watchable.ts";
import { plugLegacy } from "./plug-legacy.ts";
import { keysFromEnvironment } from "./seal/environment-keys.ts";
import { createKeyRing } from "./seal/key-ring.ts";
import { createMemorySingleUseStore } from "./seal/memory-single-use-store.ts";
import { createSeal } from "./seal/seal.ts";
import { createSingleUse } from "./seal/single-use.ts";
import type { ServerOptions } from "./server-options.ts";
import { createHub } from "./subscriptions/hub.ts";
import { createTaskRunner } from "./tasks/task-runner.ts";
import { createTaskSettings } from "./tasks/task-settings.ts";

/** A server with its features, which may change while it runs. Definitions throw an Error that names the feature and the field. */
export interface Server<Tools = unknown> extends HasToolTypes<Tools> {
  readonly info: Implementation;
  /** Chained calls collect the types of the tools: `Client<typeof server>` knows their arguments and results. */
  tool<const Name extends string, I extends Schema | undefined = undefined, O extends Schema | undefined = undefined>(
    name: Name,
    options: ToolOptions<I, O>,
  ): Server<WithTool<Tools, Name, I, O>>;
  resource(uri: string, options: ResourceOptions): Server<Tools>;
  resourceTemplate<const Template extends string>(
    uriTemplate: Template,
    options: ResourceTemplateOptions<Template>,
  ): Server<Tools>;
  prompt<I extends Schema | undefined = undefined>(name: string, options: PromptOptions<I>): Server<Tools>;
  /** Returns false when there is no such feature, like the other remove methods. */
  removeTool(name: string): boolean;
  removeResource(uri: string): boolean;
  removeResourceTemplate(uriTemplate: string): boolean;
  removePrompt(name: string): boolean;
  /** Adds a custom method, or replaces a core method. `capabilities` of the options then decide whether it is served. */
  method(name: string, handler: RawHandler, options?: RawMethodOptions): Server<Tools>;
  /** Advertises an extension. */
  extension(id: string, settings?: JsonObject): Server<Tools>;
  /** The first middleware is the outermost. */
  use(middleware: Middleware): Server<Tools>;
  /** Notifies subscribers of changes outside of this object. Changes made through it are published automatically. */
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
  /** The function that every edge calls. */
  readonly dispatch: Dispatch;
  /** Serves HTTP on platforms with fetch handlers: `export default { fetch: server.fetch }`. */
  readonly fetch: FetchHandler;
  readonly authenticator: Authenticator | undefined;
  /** The edge for clients of older revisions, on the same URL or pipe. */
  readonly legacy: LegacyEdge | undefined;
  /** Ends open subscriptions gracefully and rejects new requests. */
  close(): Promise<void>;
}

/** Reverse DNS, a slash, a name. */
const extensionId =
  /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/;

const ephemeralKeyWarning =
  "requestState is sealed with a key of this process: no other replica can open it, nor this one after a restart. " +
  "Set LETHE_KEYS or the option keys.";

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
  if (parseImplementation(info) === undefined) throw new Error("createServer: info needs a name and a version");
  const resultMeta = options.serverInfo === false ? undefined : Object.freeze({ [metaKey.serverInfo]: info });
  const capabilities: ServerCapabilities = { ...options.capabilities };
  const hasLogging = options.logging !== false;
  const ring = createKeyRing(options.keys ?? keysFromEnvironment());
  const onError = options.onError ?? logError;
  const methods = new Map<string, Method>(coreMethods);
  const middleware: Middleware[] = [];
  let toResponse: FetchHandler | undefined;
  let isClosed = false;

  const registry = createRegistry({
    pageSize: options.pageSize,
    caches: options.cache,
    isVisible: options.visible,
    resultMeta,
    onChange(kind) {
      advertiser.refresh();
      notifier.changed(kind);
    },
  });
  const advertiser = createAdvertiser({
    registry,
    capabilities,
    hasLogging,
    instructions: options.instructions,
    cache: toListCache(options.cache?.discover, false),
    resultMeta,
  });
  const hub = createHub({
    ...options.subscriptions,
    supports: () => toChangeKinds(advertiser.current().capabilities),
    mayWatch: (uri, exchange) => mayWatch(registry, uri, exchange, options.visible !== undefined),
    mayFollow: (taskId, exchange) => mayFollow(parts, taskId, exchange),
  });
  const notifier = createChangeNotifier((kind) => hub.publish({ kind }));
  const interaction = createInteractionSettings({
    ...options.interaction,
    singleUse:
      options.singleUse === false ? undefined : createSingleUse(options.singleUse ?? createMemorySingleUseStore()),
    seal: createSeal(ring, {
      ...options.seal,
      server: info.name,
      onEphemeral: () => interaction.onWarning(ephemeralKeyWarning),
    }),
  });
  const tasks = createTaskRunner({
    settings: createTaskSettings(options.tasks),
    publish: (task) => hub.publish({ kind: "task", task: { ...task } }),
    resume: (run, task) => resumeTool(parts, run, task),
    policyOf: ({ tool, work }) => registry.tools.get(tool, work?.caller)?.task,
    onError: createReportTaskError(onError),
  });
  const { maxRounds, maxJournalBytes } = tasks.settings;
  const parts: ServerParts = {
    registry,
    hub,
    advertised: advertiser.current,
    interaction,
    tasks,
    taskInteraction: { ...interaction, maxRounds, maxJournalBytes },
    fingerprintOf: createHandlerFingerprints(),
    hasLogging,
    reportError: createReportError(onError),
  };
  let answer = createDispatch({ parts, methods, middleware, resultMeta });

  const dispatch: Dispatch = (request, exchange) => {
    if (isClosed) return Promise.reject(overloaded("the server is shutting down", retryAfterMs));
    notifier.begin();
    return answer(request, exchange);
  };

  function define(step: () => void): Server {
    step();
    return server;
  }

  const { createValidator } = options;
  const server: Server = {
    info,
    tool(name, tool) {
      const definition = createTool(name, tool, createValidator);
      registry.tools.add(name, definition);
      if (definition.task.mode !== "never" && tasks.settings.store.isDurable) tasks.begin();
      // The type parameter exists only for the compiler.
      return server as Server<never>;
    },
    resource: (uri, resource) => define(() => registry.resources.add(uri, createResource(uri, resource))),
    resourceTemplate: (uriTemplate, template) =>
      define(() => registry.resourceTemplates.add(uriTemplate, createResourceTemplate(uriTemplate, template))),
    prompt: (name, prompt) => define(() => registry.prompts.add(name, createPrompt(name, prompt, createValidator))),
    removeTool: (name) => registry.tools.remove(name),
    removeResource: (uri) => registry.resources.remove(uri),
    removeResourceTemplate: (uriTemplate) => registry.resourceTemplates.remove(uriTemplate),
    removePrompt: (name) => registry.prompts.remove(name),
    method(name, handler, rawOptions = {}) {
      const core = coreMethods.get(name);
      if (methods.get(name) !== core) throw new Error(`method ${JSON.stringify(name)} is already registered`);
      if (rawOptions.extension !== undefined && !isAdvertised(capabilities, rawOptions.extension)) {
        server.extension(rawOptions.extension);
      }
      methods.set(name, createRawMethod(handler, rawOptions));
      return server;
    },
    extension(id, settings = {}) {
      if (!extensionId.test(id))
        throw new Error(`extension ${JSON.stringify(id)}: a prefix, a slash and a name expected`);
      capabilities.extensions = { ...capabilities.extensions, [id]: settings };
      advertiser.refresh();
      return server;
    },
    use(wrap) {
      middleware.push(wrap);
      answer = createDispatch({ parts, methods, middleware, resultMeta });
      return server;
    },
    toolsChanged: () => hub.publish({ kind: "tools" }),
    promptsChanged: () => hub.publish({ kind: "prompts" }),
    resourcesChanged: () => hub.publish({ kind: "resources" }),
    resourceUpdated: (uri) => hub.publish({ kind: "resource", uri }),
    authenticator: options.auth,
    fetch(request) {
      toResponse ??= createFetchHandler(server, options.http);
      return toResponse(request);
    },
    dispatch,
    legacy: plugLegacy({ dispatch, info, ring }, options),
    async close() {
      isClosed = true;
      hub.close();
      server.legacy?.close();
      await tasks.close();
    },
  };
  return server;
}

function isAdvertised({ extensions }: ServerCapabilities, id: string): boolean {
  return extensions !== undefined && Object.hasOwn(extensions, id);
}
