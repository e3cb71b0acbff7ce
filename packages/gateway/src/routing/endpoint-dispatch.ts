// One endpoint's Dispatch: lists come from its catalogue, everything else goes to the upstream that the request names.
import {
  type Caller,
  checkParamHeaders,
  type Dispatch,
  declaresTasks,
  type Exchange,
  invalidParams,
  isMcpError,
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
  type ServerCapabilities,
} from "@lethe/protocol";
import type { Bridge } from "../bridge/bridge.ts";
import type { Target } from "../bridge/call.ts";
import type { Catalog } from "../catalog/merge-catalogs.ts";
import type { UpstreamSessions } from "../sessions/upstream-sessions.ts";
import { upstreamError } from "../upstream/upstream-error.ts";
import { createListAnswers } from "./lists.ts";
import { candidatesFor, templateOwnersOf } from "./resource-owner.ts";

export interface EndpointOptions {
  catalog(): Catalog;
  /** Somebody asks for a list. */
  onListed(): void;
  /** Undefined for an upstream that is not there any more. */
  sessionsOf(upstream: string): UpstreamSessions | undefined;
  mayRead(caller: Caller | undefined, upstream: string, uri: string): boolean;
  mayCall(caller: Caller | undefined, upstream: string, tool: string): boolean;
  /** Whose tool this may be, and its name there, among the upstreams that were never read. */
  unreadOwnerOf(tool: string): { readonly upstream: string; readonly name: string } | undefined;
  readonly bridge: Bridge;
  readonly listen: Dispatch;
  /** Of tasks/get, tasks/update and tasks/cancel. */
  readonly answerTask: Dispatch;
}

export function createEndpointDispatch(options: EndpointOptions): Dispatch {
  const { catalog, onListed, mayRead, mayCall, unreadOwnerOf, bridge, listen, answerTask } = options;
  const answerList = createListAnswers();

  function sessionsOf(upstream: string): UpstreamSessions {
    const sessions = options.sessionsOf(upstream);
    if (!sessions) throw upstreamError(upstream, "unavailable", "is not served any more");
    return sessions;
  }

  function targetOf(upstream: string): Target {
    return { sessions: sessionsOf(upstream), serverInfo: catalog().identity.brief };
  }

  /** Without a promise of its own for what is no retry. */
  function relay(target: Target, request: ModernRequest, exchange: Exchange): Promise<Result> {
    if (request.params.requestState === undefined) return bridge.relay(target, request, exchange);
    return bridge.open(request, exchange).then((state) => bridge.relay(target, request, exchange, state));
  }

  function callTool(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { name, arguments: args } = parseCallToolParams(request.params);
    const route = catalog().toolRoutes.get(name);
    if (!route) throw unknownTool(name, exchange.caller);
    if (exchange.headers) checkParamHeaders(route.paramHeaders, args, exchange.headers);
    // F-3: nobody can call it otherwise.
    if (route.taskSupport === "required") requireTasks(request);
    const sessions = sessionsOf(route.upstream);
    const target = {
      sessions,
      params: { name: route.name },
      isRepeatable: route.isIdempotent && sessions.config.rerun === "idempotent",
      hasSessionArgument: route.isExtended,
      taskSupport: route.taskSupport,
      serverInfo: catalog().identity.brief,
    };
    return relay(target, request, exchange);
  }

  /** A model that is told that a tool is not there does not try it again. */
  function unknownTool(tool: string, caller: Caller | undefined): McpError {
    const owner = unreadOwnerOf(tool);
    if (!owner || !mayCall(caller, owner.upstream, owner.name)) return invalidParams(`unknown tool: ${tool}`);
    return upstreamError(owner.upstream, "unavailable", "has not told yet what it offers", { retryAfterMs });
  }

  function getPrompt(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { name } = parseGetPromptParams(request.params);
    const route = catalog().promptRoutes.get(name);
    if (!route) throw invalidParams(`unknown prompt: ${name}`);
    const target = { ...targetOf(route.upstream), params: { name: route.name } };
    return relay(target, request, exchange);
  }

  /** Of several who may have it, the first that knows it answers; a retry goes back to the one that asked. */
  async function readResource(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { uri } = parseReadResourceParams(request.params);
    const state = await bridge.open(request, exchange);
    const owners = state ? [state.upstream] : candidatesFor(catalog(), uri);
    const candidates = owners.filter((upstream) => mayRead(exchange.caller, upstream, uri));
    for (const [index, upstream] of candidates.entries()) {
      try {
        return await bridge.relay(targetOf(upstream), request, exchange, state);
      } catch (error) {
        if (index === candidates.length - 1 || !isNotFound(error, uri)) throw error;
      }
    }
    throw resourceNotFound(uri);
  }

  async function complete(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { ref } = parseCompleteParams(request.params);
    if (ref.type === "ref/prompt") {
      const route = catalog().promptRoutes.get(ref.name);
      if (!route) throw invalidParams(`unknown prompt: ${ref.name}`);
      const target = { ...targetOf(route.upstream), params: { ref: { ...ref, name: route.name } } };
      return bridge.relay(target, request, exchange);
    }
    const [owner] = templateOwnersOf(catalog(), ref.uri);
    if (owner === undefined) throw resourceNotFound(ref.uri);
    return bridge.relay(targetOf(owner), request, exchange);
  }

  const methods = new Map<string, { offeredBy: (capabilities: ServerCapabilities) => unknown; handle: Dispatch }>([
    [method.callTool, { offeredBy: ({ tools }) => tools, handle: callTool }],
    [method.getPrompt, { offeredBy: ({ prompts }) => prompts, handle: getPrompt }],
    [method.readResource, { offeredBy: ({ resources }) => resources, handle: readResource }],
    [method.complete, { offeredBy: ({ completions }) => completions, handle: complete }],
    [method.listen, { offeredBy: () => true, handle: listen }],
    [method.getTask, { offeredBy: declaresTasks, handle: answerTask }],
    [method.updateTask, { offeredBy: declaresTasks, handle: answerTask }],
    [method.cancelTask, { offeredBy: declaresTasks, handle: answerTask }],
  ]);

  async function list(request: ModernRequest): Promise<Result> {
    const answer = answerList(catalog(), request.method);
    if (!answer) throw methodNotFound(request.method);
    onListed();
    if (request.method !== method.discover && parsePageParams(request.params).cursor !== undefined) {
      throw invalidParams("unknown cursor: the list has one page");
    }
    return answer;
  }

  return (request, exchange) => {
    const known = methods.get(request.method);
    try {
      // E-4: a method is served exactly when its capability is advertised.
      return known?.offeredBy(catalog().capabilities) ? known.handle(request, exchange) : list(request);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

const retryAfterMs = 1_000;

function isNotFound(error: unknown, uri: string): boolean {
  return isMcpError(error) && error.code === resourceNotFound(uri).code;
}
