// Relays messages of revisions later than ours between callers and the one upstream of an endpoint. The gateway does not understand
// these messages: it forwards a message as it is, or rejects it, so that the caller sends it in one of our revisions.
import {
  type Caller,
  clientCapabilitiesOf,
  type Dispatch,
  errorCode,
  isJsonObject,
  isMcpError,
  isTaskMethod,
  McpError,
  type ModernRequest,
  metaKey,
  method,
  modernRevisions,
  protocolVersionOf,
  type Result,
} from "@lethe/protocol";
import { isLaterRevision } from "@lethe/protocol/revisions";
import type { CallForwarder } from "../../calls/call-forwarder.ts";
import { noteRelayed } from "../../calls/call-trace.ts";
import { missingMetaKey } from "../../catalog/catalog-view.ts";
import type { Catalog } from "../../catalog/merge-catalogs.ts";
import { checkDeclared, declaredExtensionsOf } from "../../extensions/declared-extensions.ts";
import { isOwnedExtension } from "../../extensions/owned-extensions.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import { hasKnownListShape, hasKnownShape, isList, requirePermission } from "./known-shape.ts";

export interface RevisionRelayOptions {
  /** The lists for callers without extensions. */
  current(): Catalog;
  /** Returns the lists for the extensions that a caller declares. */
  catalog(request: ModernRequest, caller: Caller | undefined): Catalog;
  /** The upstream of the endpoint. Undefined for an upstream that was removed. */
  sessions(): UpstreamSessions | undefined;
  readonly forwarder: Pick<CallForwarder, "open" | "forward">;
  /** Whether callers may do less than the upstream offers. Then a message is relayed only if the gateway can check it. */
  isRestricted(): boolean;
  mayRead(caller: Caller | undefined, upstream: string, uri: string): boolean;
  mayCall(caller: Caller | undefined, upstream: string, tool: string): boolean;
  /** Called when a caller requests a list. */
  onListed(request: ModernRequest, caller: Caller | undefined): void;
  /** Called when the upstream no longer accepts a revision that it offered. */
  onOutdated(upstream: string): void;
}

export class RevisionRelay {
  readonly #options: RevisionRelayOptions;
  /** The revisions that the upstream refused although its last read description offers them. */
  #refused: { readonly catalog: Catalog; readonly revisions: Set<string> } | undefined;

  constructor(options: RevisionRelayOptions) {
    this.#options = options;
  }

  /** The revisions that are relayed now, newest first. */
  readonly offered = (): readonly string[] => {
    const catalog = this.#options.current();
    const refused = this.#refused?.catalog === catalog ? this.#refused.revisions : undefined;
    return refused ? catalog.laterRevisions.filter((name) => !refused.has(name)) : catalog.laterRevisions;
  };

  /** Rejects with McpError -32022 for a message that cannot be relayed. */
  readonly answer: Dispatch = async (request, exchange) => {
    const { forwarder, onListed } = this.#options;
    checkDeclared(clientCapabilitiesOf(request));
    const sessions = this.#options.sessions();
    const revision = protocolVersionOf(request);
    if (!sessions || !this.offered().includes(revision) || isForGateway(request.method)) throw cannotRelay(request);
    const catalog = this.#options.catalog(request, exchange.caller);
    this.#requirePermission(request, { caller: exchange.caller, upstream: sessions.name, catalog });
    const state = await forwarder.open(request, exchange);
    // The call began in an older revision that keeps it open.
    if (state?.pending || state?.era) throw cannotRelay(request);
    noteRelayed(request, revision);
    const { full, brief } = catalog.identity;
    const target = { sessions, revision, serverInfo: request.method === method.discover ? full : brief };
    try {
      const result = await forwarder.forward(target, withoutOwnedExtensions(request), exchange, state);
      if (request.method === method.discover || isList(request.method)) onListed(request, exchange.caller);
      return this.#toAnswer(request, result);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#noteRefusal(revision, sessions.name, error);
      throw cannotRelay(request);
    }
  };

  #requirePermission(
    request: ModernRequest,
    { caller, upstream, catalog }: { caller: Caller | undefined; upstream: string; catalog: Catalog },
  ): void {
    const { isRestricted, mayRead, mayCall } = this.#options;
    if (!isRestricted()) return;
    if (!hasKnownShape(request)) throw cannotRelay(request);
    requirePermission(request, {
      tool: (name) => mayCall(caller, upstream, name),
      resource: (uri) => mayRead(caller, upstream, uri),
      // The guard has checked the prompts of these lists.
      prompt: (name) => catalog.promptRoutes.has(name),
    });
  }

  /** No answer is shared between callers. */
  #toAnswer(request: ModernRequest, result: Result): Result {
    const own: Result = "cacheScope" in result ? { ...result, cacheScope: "private" } : result;
    if (request.method === method.discover) return this.#toDiscovery(request, own);
    if (!isList(request.method)) return own;
    if (this.#options.isRestricted() && !hasKnownListShape(request.method, own)) throw cannotRelay(request);
    return withoutMissing(own);
  }

  /** The extensions that the gateway handles by itself, such as tasks, need one of our revisions. */
  #toDiscovery(request: ModernRequest, result: Result): Result {
    const { capabilities, supportedVersions } = result;
    if (!isJsonObject(capabilities) || !Array.isArray(supportedVersions)) throw cannotRelay(request);
    const { extensions, ...others } = capabilities;
    const passed = Object.entries(isJsonObject(extensions) ? extensions : {}).filter(([id]) => !isOwnedExtension(id));
    return withoutMissing({
      ...result,
      supportedVersions: [...this.offered(), ...modernRevisions],
      capabilities: { ...others, ...(passed.length > 0 && { extensions: Object.fromEntries(passed) }) },
    });
  }

  /** The upstream was replaced by an older one since it was read. */
  #noteRefusal(revision: string, upstream: string, error: McpError): void {
    if (codeOf(error) !== errorCode.unsupportedProtocolVersion) return;
    const catalog = this.#options.current();
    if (this.#refused?.catalog !== catalog) this.#refused = { catalog, revisions: new Set() };
    this.#refused.revisions.add(revision);
    this.#options.onOutdated(upstream);
  }
}

/** Messages that the gateway answers or changes itself: subscriptions, which callers share, and tasks, which get ids of the gateway. */
function isForGateway(requested: string): boolean {
  return requested === method.listen || requested === "initialize" || isTaskMethod(requested);
}

/** Sends messages of revisions later than ours to the relay. Without one, they are rejected. */
export function relayLater(dispatch: Dispatch, relay: RevisionRelay | undefined): Dispatch {
  return (request, exchange) => {
    if (!isLaterRevision(protocolVersionOf(request))) return dispatch(request, exchange);
    return relay ? relay.answer(request, exchange) : Promise.reject(cannotRelay(request));
  };
}

/** McpError -32022, which tells the caller to use one of our revisions. */
function cannotRelay(request: ModernRequest): McpError {
  const requested = protocolVersionOf(request);
  const text = `unsupported protocol version: the gateway cannot relay this ${request.method} of revision ${requested}`;
  const data = { supported: modernRevisions, requested };
  return new McpError(errorCode.unsupportedProtocolVersion, text, { data });
}

/** The upstream refuses the revision, or a header that the gateway cannot know. */
function isRefusal(error: unknown): error is McpError {
  const code = codeOf(error);
  return code === errorCode.unsupportedProtocolVersion || code === errorCode.headerMismatch;
}

/** An error about the gateway's own request is the cause of the one for the caller. */
function codeOf(error: unknown): number | undefined {
  if (!isMcpError(error)) return undefined;
  return isMcpError(error.cause) ? error.cause.code : error.code;
}

function withoutOwnedExtensions(request: ModernRequest): ModernRequest {
  const { extensions: _, experimental: __, ...capabilities } = clientCapabilitiesOf(request);
  const passed = declaredExtensionsOf(clientCapabilitiesOf(request)).capabilities;
  const _meta = { ...request.params._meta, [metaKey.clientCapabilities]: { ...capabilities, ...passed } };
  return { ...request, params: { ...request.params, _meta } };
}

/** Only the gateway itself names upstreams that are missing. */
function withoutMissing(result: Result): Result {
  if (!isJsonObject(result._meta) || !(missingMetaKey in result._meta)) return result;
  const { [missingMetaKey]: _, ...meta } = result._meta;
  return { ...result, _meta: meta };
}
