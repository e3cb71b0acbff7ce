// The Dispatch of one endpoint: lists come from its catalog, all other requests go to the upstream of their target.
import {
  type Caller,
  checkParamHeaders,
  clientCapabilitiesOf,
  type Dispatch,
  type Exchange,
  invalidParams,
  isExtensionMethod,
  isMcpError,
  isOffered,
  type McpError,
  type ModernRequest,
  method,
  methodNotFound,
  parseCallToolParams,
  parseCompleteParams,
  parseGetPromptParams,
  parsePageParams,
  parseReadResourceParams,
  type Result,
  requireTasks,
  resourceNotFound,
} from "@lethe/protocol";
import type { CallForwarder } from "../../calls/call-forwarder.ts";
import type { UpstreamTarget } from "../../calls/forwarded-call.ts";
import type { Catalog } from "../../catalog/merge-catalogs.ts";
import type { UriRoute } from "../../catalog/public-uris.ts";
import type { Route } from "../../catalog/route.ts";
import { checkDeclared, declaredExtensionsOf } from "../../extensions/declared-extensions.ts";
import { upstreamError } from "../../upstreams/connection/upstream-error.ts";
import { chooseEra, type Wanted } from "../../upstreams/sessions/era-choice.ts";
import { toUnlisted, toUnready } from "../../upstreams/sessions/readiness.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { ownersOfMethod } from "./extension-methods.ts";
import { DeclaredLists } from "./lists.ts";
import { createSkillDispatch } from "./skill-methods.ts";
import { resolveTool } from "./tool-route.ts";
import { ambiguousMethod, ambiguousUri, unknownName } from "./unknown-target.ts";

export interface EndpointOptions {
  /** Returns the lists for the extensions that a caller declares. */
  catalog(request: ModernRequest, caller: Caller | undefined): Catalog;
  /** Called when a caller requests a list. */
  onListed(request: ModernRequest, caller: Caller | undefined): void;
  /** Never rejects. Returns undefined if there is nothing to wait for. */
  untilErasOpen(): Promise<void> | undefined;
  /** Returns undefined for an upstream that was removed. */
  sessionsOf(upstream: string): UpstreamSessions | undefined;
  mayRead(caller: Caller | undefined, upstream: string, uri: string): boolean;
  mayCall(caller: Caller | undefined, upstream: string, tool: string): boolean;
  /** Returns the upstream that may have this tool, and the tool's name there, among upstreams that were never read. */
  unreadOwnerOf(tool: string): { readonly upstream: string; readonly name: string } | undefined;
  /** Returns the upstreams that are starting or down. Default: none. */
  missing?(): readonly string[];
  /** Returns the only upstream of the endpoint while none of its lists is known. Default: none. */
  absent?(): UpstreamSessions | undefined;
  readonly forwarder: CallForwarder;
  readonly listen: Dispatch;
  /** Serves tasks/get, tasks/update and tasks/cancel. */
  readonly answerTask: Dispatch;
}

/** Opening an older era may add the capability of completions. A server that declares no skills is never asked for them. */
const checkThemselves: ReadonlySet<string> = new Set([
  ...[method.complete, method.listSkills, method.getSkill, method.readDirectory],
]);

export function createEndpointDispatch(options: EndpointOptions): Dispatch {
  return new EndpointDispatch(options).dispatch;
}

class EndpointDispatch {
  readonly dispatch: Dispatch = (request, exchange) => {
    const handle = this.#methods.get(request.method);
    try {
      checkDeclared(clientCapabilitiesOf(request));
      if (request.isNotification) return this.#passOn(request, exchange);
      if (handle && (checkThemselves.has(request.method) || this.#isServed(request, exchange)))
        return handle(request, exchange);
      if (isExtensionMethod(request.method)) return this.#passOn(request, exchange);
      return this.#list(request, exchange);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  readonly #options: EndpointOptions;
  readonly #methods: ReadonlyMap<string, Dispatch>;
  readonly #lists: DeclaredLists = new DeclaredLists();

  constructor(options: EndpointOptions) {
    const { listen, answerTask, mayRead } = options;
    this.#options = options;
    const answerSkills = createSkillDispatch({
      catalog: (request, exchange) => this.#catalogFor(request, exchange),
      forward: (upstream, params, request, exchange) => {
        const target = { ...this.#targetOf(upstream, this.#catalogFor(request, exchange)), params };
        return options.forwarder.forward(target, request, exchange);
      },
      mayRead,
      unready: () => this.#unready(),
    });
    this.#methods = new Map<string, Dispatch>([
      [method.callTool, (request, exchange) => this.#callTool(request, exchange)],
      [method.getPrompt, (request, exchange) => this.#getPrompt(request, exchange)],
      [method.readResource, (request, exchange) => this.#readResource(request, exchange)],
      [method.complete, (request, exchange) => this.#complete(request, exchange)],
      [method.listen, listen],
      [method.getTask, answerTask],
      [method.updateTask, answerTask],
      [method.cancelTask, answerTask],
      [method.listSkills, answerSkills],
      [method.getSkill, answerSkills],
      [method.readDirectory, answerSkills],
    ]);
  }

  #sessionsOf(upstream: string): UpstreamSessions {
    const sessions = this.#options.sessionsOf(upstream);
    if (!sessions) throw upstreamError(upstream, "unavailable", "is not served any more");
    return sessions;
  }

  #unready(): McpError | undefined {
    const only = this.#options.absent?.();
    return only && toUnready(only);
  }

  #catalogFor(request: ModernRequest, { caller }: Exchange): Catalog {
    return this.#options.catalog(request, caller);
  }

  #targetOf(upstream: string, { identity }: Catalog): UpstreamTarget {
    return { sessions: this.#sessionsOf(upstream), serverInfo: identity.brief };
  }

  /** Returns a promise of its own only for a retry. */
  #forward(
    target: UpstreamTarget,
    wanted: Wanted | undefined,
    request: ModernRequest,
    exchange: Exchange,
  ): Promise<Result> {
    if (request.params.requestState !== undefined) {
      return this.#options.forwarder
        .open(request, exchange)
        .then((state) => this.#options.forwarder.forward(target, request, exchange, state));
    }
    const sessions = chooseEra(target.sessions, request, wanted);
    if (sessions === target.sessions) return this.#options.forwarder.forward(target, request, exchange);
    if (!(sessions instanceof Promise))
      return this.#options.forwarder.forward({ ...target, sessions }, request, exchange);
    return sessions.then((chosen) =>
      this.#options.forwarder.forward({ ...target, sessions: chosen }, request, exchange),
    );
  }

  #callTool(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { name, arguments: args } = parseCallToolParams(request.params);
    const catalog = this.#catalogFor(request, exchange);
    const { mayCall } = this.#options;
    const route = resolveTool(catalog, request, (upstream, tool) => mayCall(exchange.caller, upstream, tool));
    if (!route) throw this.#unknownTool(name, exchange.caller, catalog);
    if (exchange.headers) checkParamHeaders(route.paramHeaders, args, exchange.headers);
    // Other clients could not call it (F-3).
    if (route.taskSupport === "required") requireTasks(request);
    const sessions = this.#sessionsOf(route.upstream);
    const target = {
      sessions,
      params: { name: route.name },
      isRepeatable: route.isIdempotent && sessions.config.rerun === "idempotent",
      isIdempotent: route.isIdempotent,
      hasSessionArgument: route.isExtended,
      taskSupport: route.taskSupport,
      serverInfo: catalog.identity.brief,
    };
    return this.#forward(target, { kind: "tools", name: route.name }, request, exchange);
  }

  /** A model that learns that a tool does not exist does not try it again. */
  #unknownTool(tool: string, caller: Caller | undefined, { sharedTools }: Catalog): McpError {
    const owner = this.#options.unreadOwnerOf(tool);
    if (!owner || !this.#options.mayCall(caller, owner.upstream, owner.name))
      return unknownName("tool", tool, sharedTools);
    return toUnready(this.#sessionsOf(owner.upstream));
  }

  #getPrompt(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { name } = parseGetPromptParams(request.params);
    const catalog = this.#catalogFor(request, exchange);
    const route = this.#promptRoute(name, catalog);
    const target = { ...this.#targetOf(route.upstream, catalog), params: { name: route.name } };
    return this.#forward(target, { kind: "prompts", name: route.name }, request, exchange);
  }

  #promptRoute(name: string, { promptRoutes, sharedPrompts }: Catalog): Route {
    const route = promptRoutes.get(name);
    if (!route) throw this.#unready() ?? unknownName("prompt", name, sharedPrompts);
    return route;
  }

  /** A retry goes to the upstream that sent the input request. */
  async #readResource(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { uri } = parseReadResourceParams(request.params);
    const state = await this.#options.forwarder.open(request, exchange);
    const catalog = this.#catalogFor(request, exchange);
    const { uris } = catalog;
    const owners = state ? [uris.routeTo(state.upstream, uri)] : uris.ownersOf(uri);
    const owner = this.#onlyOwner(
      uri,
      owners.filter((route) => this.#options.mayRead(exchange.caller, route.upstream, route.uri)),
      catalog,
    );
    const target = { ...this.#targetOf(owner.upstream, catalog), params: { uri: owner.uri } };
    try {
      if (state) return await this.#options.forwarder.forward(target, request, exchange, state);
      return await this.#forward(target, { kind: "resources", name: owner.uri }, request, exchange);
    } catch (error) {
      throw isNotFound(error, owner.uri) ? resourceNotFound(uri) : error;
    }
  }

  /** Throws McpError if no upstream or several may have the resource: no upstream answers for another. */
  #onlyOwner(uri: string, owners: readonly UriRoute[], { uris }: Catalog): UriRoute {
    const [owner] = owners;
    if (!owner) throw this.#unready() ?? resourceNotFound(uri);
    if (uris.isAmbiguous(uri, owners)) {
      throw ambiguousUri(
        uri,
        owners.map((route) => uris.qualify(route)),
      );
    }
    return owner;
  }

  async #complete(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { target, wanted } = this.#completionOf(request, exchange);
    const { connection, legacyEra } = target.sessions;
    // The older era of a server may offer completion even if its newer era does not.
    if (connection && !connection.server.capabilities.completions) await legacyEra?.open(target.sessions);
    if (!this.#isServed(request, exchange)) throw methodNotFound(request.method);
    return this.#forward(target, wanted, request, exchange);
  }

  /** Called before an older era adds its items to the lists, because the policy has not checked the request against those. */
  #completionOf(request: ModernRequest, exchange: Exchange): { target: UpstreamTarget; wanted: Wanted | undefined } {
    const catalog = this.#catalogFor(request, exchange);
    try {
      const { ref } = parseCompleteParams(request.params);
      if (ref.type === "ref/prompt") {
        const route = this.#promptRoute(ref.name, catalog);
        const target = { ...this.#targetOf(route.upstream, catalog), params: { ref: { ...ref, name: route.name } } };
        return { target, wanted: { kind: "prompts", name: route.name } };
      }
      const owner = this.#onlyOwner(ref.uri, catalog.uris.templateOwnersOf(ref.uri), catalog);
      const target = { ...this.#targetOf(owner.upstream, catalog), params: { ref: { ...ref, uri: owner.uri } } };
      return { target, wanted: undefined };
    } catch (error) {
      throw this.#isServed(request, exchange) ? error : methodNotFound(request.method);
    }
  }

  /** A method is served exactly if its capability is declared (E-4). Listening is always served. */
  #isServed(request: ModernRequest, exchange: Exchange): boolean {
    if (request.method === method.listen) return true;
    return isOffered(request.method, this.#catalogFor(request, exchange).capabilities);
  }

  /** Passes on a method or a notification of an extension, which only its upstream knows. Its result is never kept for other requests. */
  #passOn(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const catalog = this.#catalogFor(request, exchange);
    const [owner, ...others] = ownersOfMethod(request.method, catalog.offerings);
    if (owner === undefined) throw this.#unready() ?? methodNotFound(request.method);
    if (others.length > 0) throw ambiguousMethod(request.method, [owner, ...others]);
    return this.#options.forwarder.forward(this.#targetOf(owner, catalog), request, exchange);
  }

  async #list(request: ModernRequest, exchange: Exchange): Promise<Result> {
    // Items that only the older era offers are shown to the first client that can use them.
    if (request.prefersSession) await this.#options.untilErasOpen();
    const { key } = declaredExtensionsOf(clientCapabilitiesOf(request));
    const answerList = this.#lists.answersFor(key);
    const answer = answerList(this.#catalogFor(request, exchange), request.method, this.#options.missing?.());
    if (!answer) throw methodNotFound(request.method);
    const only = this.#options.absent?.();
    if (only) throw toUnlisted(only);
    this.#options.onListed(request, exchange.caller);
    if (request.method !== method.discover && parsePageParams(request.params).cursor !== undefined) {
      throw invalidParams("unknown cursor: the list has one page");
    }
    return answer;
  }
}

function isNotFound(error: unknown, uri: string): boolean {
  return isMcpError(error) && error.code === resourceNotFound(uri).code;
}
