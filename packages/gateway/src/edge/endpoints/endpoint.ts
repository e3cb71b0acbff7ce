// One endpoint of the gateway: a set of upstreams under one set of names.
import { type Caller, type Dispatch, declaresTasks, type ModernRequest } from "@lethe/protocol";
import type { Servable } from "@lethe/server/edge";
import { CallForwarder, type CallForwarderOptions } from "../../calls/call-forwarder.ts";
import type { RequestHold } from "../../calls/request-hold.ts";
import { withSessionArgument } from "../../calls/session-argument.ts";
import { createTaskMethods, type PublishPayload } from "../../calls/task-methods.ts";
import type { CatalogRules } from "../../catalog/catalog-part.ts";
import type { CatalogView } from "../../catalog/catalog-view.ts";
import { createNameRule, type NameRule } from "../../catalog/exposure.ts";
import type { ExtensionCatalogs } from "../../catalog/extension-catalogs.ts";
import { createUriRule } from "../../catalog/uri-rule.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import { relaysLaterRevisions } from "../../extensions/later-revisions.ts";
import type { ResourceSubscriptions } from "../../subscriptions/resource-subscriptions.ts";
import { gatewayInfo } from "../../upstreams/connection/own-request.ts";
import { untilErasOpen } from "../../upstreams/sessions/legacy-era.ts";
import { isDown, isMissing } from "../../upstreams/sessions/readiness.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import type { Policy } from "../policy/policy.ts";
import { createEndpointDispatch } from "../routing/endpoint-dispatch.ts";
import { Listening } from "../routing/listen.ts";
import { publishResult, publishToolResult } from "../routing/public-references.ts";
import { RevisionRelay, type RevisionRelayOptions, relayLater } from "../routing/revision-relay.ts";
import { afterStartup, createUntilKnown, type StartupWindow, type UntilKnown } from "../routing/startup-window.ts";
import { EndpointViews } from "./endpoint-views.ts";
import type { Tasks } from "./gateway-tasks.ts";

/** The path of the merged endpoint. The endpoint of one upstream is at `/mcp/{name}`. */
export const basePath: string = "/mcp";

/** How long a list waits for the older eras of upstreams that have two, in ms. */
const openWaitMs = 5_000;

export interface EndpointParts extends CallForwarderOptions {
  /** The upstreams by name, in the order of the lists. Changes with the configuration. */
  readonly upstreams: ReadonlyMap<string, UpstreamSessions>;
  readonly resourceSubscriptions: ResourceSubscriptions;
  readonly tasks: Tasks;
  readonly hold: RequestHold;
  /** Whether this is the merged endpoint, where names are prefixed so that those of several upstreams differ. */
  readonly isMerged: boolean;
  /** The tools that the endpoint offers among those of its upstreams, by the upstream's own names. Default: all. */
  readonly toolFilter?: NameRule;
  /** Access rules of this endpoint alone. Default: none. */
  readonly policy?: Policy;
  /** Called when a caller requests a list of these upstreams. */
  onListed(upstreams: readonly string[]): void;
  onProblem?(problem: string, upstream: string): void;
  /** The lists for callers with extensions. Default: they get those of other callers. */
  readonly extensionCatalogs?: ExtensionCatalogs;
  /** Resolves when the upstream is started and its lists are read. Rejects with McpError if that fails or takes too long. */
  untilRead(upstream: string): Promise<void>;
  readonly startup: StartupWindow;
  /** Returns the endpoint that replaces this one after a change of the configuration. Default: none. */
  successor?(): Dispatch | undefined;
  /** Called when an upstream proves not to be as it was read. */
  onOutdated?(upstream: string): void;
  /** Whether callers may do less than upstreams offer. Default: they may do everything. */
  isRestricted?(): boolean;
  /** Whether a caller may read a URI of an upstream. Default: always. */
  mayRead?(caller: Caller | undefined, upstream: string, uri: string): boolean;
  /** Whether a caller may call a tool of an upstream, and so access its tasks. Default: always. */
  mayCall?(caller: Caller | undefined, upstream: string, tool: string): boolean;
}

export interface Endpoint {
  readonly path: string;
  /** The upstream of an endpoint that has only one. */
  readonly upstream?: string | undefined;
  readonly view: CatalogView;
  readonly views: EndpointViews;
  /** Returns the lists for the extensions that a caller declares. */
  readonly viewFor: EndpointViews["viewFor"];
  readonly forwarder: CallForwarder;
  readonly servable: Servable;
  /** Answers with the lists known now. The Dispatch of `servable` waits for starting upstreams. */
  readonly answer: Dispatch;
  readonly untilKnown: UntilKnown;
  /** Access rules of this endpoint, in addition to those of the gateway. */
  readonly policy?: Policy | undefined;
}

export function createEndpoint(parts: EndpointParts): Endpoint {
  const { path, upstreams, resourceSubscriptions, tasks, directory, hold, isMerged, onProblem } = parts;
  const uris = () => view.current.uris;
  // The endpoint of a single upstream leaves references unchanged.
  const publish: CallForwarderOptions["publish"] = (result, upstream, request) =>
    publishResult(result, upstream, request, uris());
  const publishPayload: PublishPayload = (result, upstream) => publishToolResult(result, upstream, uris());
  const forwarder = new CallForwarder({ ...parts, ...(isMerged && { publish }) });
  const sessionsOf = (name: string) => upstreams.get(name);
  const { mayCall = () => true } = parts;
  const rulesOf = createRules(parts, () => upstreams.size === 1);
  const views = new EndpointViews({
    upstreams,
    sets: parts.extensionCatalogs,
    onChange(kinds) {
      for (const kind of kinds) listening.publish(kind);
    },
    onListed: parts.onListed,
    ...(onProblem && { onProblem }),
    view: {
      upstreams: () => [...upstreams.values()].map(({ name, config }) => ({ name, rules: rulesOf(config) })),
      isMerged,
      isStartingUp: () => !parts.startup.isOver,
    },
  });
  const { view } = views;
  const taskMethods = createTaskMethods({
    ...{ ids: tasks.ids, own: tasks.own, directory, forwarder, hold, path, sessionsOf },
    mayCall,
    serverInfo: () => view.current.identity.brief,
    ...(isMerged && { publish: publishPayload }),
  });
  const listening = new Listening({
    ...{ resourceSubscriptions, hold, sessionsOf },
    tasks: {
      ...taskMethods,
      subscriptions: tasks.subscriptions,
      isOffered: () => declaresTasks(view.current.capabilities),
    },
    serverInfo: () => view.current.identity.brief,
    ownerOf(uri, request, caller) {
      const { uris } = views.viewFor(request, caller).current;
      const owners = uris.ownersOf(uri);
      const sessions = owners[0] && upstreams.get(owners[0].upstream);
      return sessions && !uris.isAmbiguous(uri, owners) ? { sessions, uri: owners[0]?.uri ?? uri } : undefined;
    },
    ...(isMerged && { publish: publishPayload }),
  });
  const routing = {
    catalog: (request: ModernRequest, caller: Caller | undefined) => views.viewFor(request, caller).current,
    onListed: (request: ModernRequest, caller: Caller | undefined) => views.noteListed(request, caller),
    mayRead: parts.mayRead ?? (() => true),
    mayCall,
  };
  const relay = isMerged ? undefined : createRelay(parts, view, { ...routing, forwarder });
  const own = createEndpointDispatch({
    ...routing,
    untilErasOpen: () => untilErasOpen(upstreams.values(), openWaitMs),
    sessionsOf,
    unreadOwnerOf: (tool) => view.unreadOwnerOf(tool),
    missing: () => missingOf(upstreams, view),
    absent() {
      const sessions = onlyOf(upstreams, isMerged);
      return sessions && (!view.isComplete || isDown(sessions)) ? sessions : undefined;
    },
    forwarder,
    listen: listening.listen,
    answerTask: taskMethods.answer,
  });
  const answer = relayLater(own, relay);
  const { startup, successor, untilRead } = parts;
  const only = () => onlyOf(upstreams, isMerged)?.name;
  const waiting = { startup, view, only, untilRead, mayCall, untilDeclared: views.untilDeclared };
  const options = { ...waiting, ...(successor && { successor }) };
  const untilKnown = createUntilKnown(options);
  const dispatch = afterStartup(answer, options, untilKnown);
  const [upstream] = isMerged ? [] : upstreams.keys();
  const servable = {
    ...{ info: gatewayInfo, dispatch, takesNotifications: true, close: () => listening.close() },
    ...(relay && { laterRevisions: relay.offered }),
  };
  const { policy } = parts;
  return { path, upstream, view, views, viewFor: views.viewFor, forwarder, servable, answer, untilKnown, policy };
}

function createRelay(
  { upstreams, isRestricted = () => false, onOutdated = () => {} }: EndpointParts,
  view: CatalogView,
  routing: Pick<RevisionRelayOptions, "catalog" | "onListed" | "mayRead" | "mayCall" | "forwarder">,
): RevisionRelay {
  return new RevisionRelay({
    ...{ ...routing, isRestricted, onOutdated },
    current: () => view.current,
    sessions: () => upstreams.values().next().value,
  });
}

/** Returns the upstream of an endpoint that serves one upstream under its own names. */
function onlyOf(upstreams: EndpointParts["upstreams"], isMerged: boolean): UpstreamSessions | undefined {
  if (upstreams.size !== 1) return undefined;
  const [sessions] = upstreams.values();
  return isMerged && sessions?.config.prefix !== "" ? undefined : sessions;
}

function missingOf(upstreams: EndpointParts["upstreams"], { unread }: CatalogView): string[] {
  const names: string[] = [];
  const neverRead = new Set(unread);
  for (const [name, sessions] of upstreams) if (isMissing(sessions) || neverRead.has(name)) names.push(name);
  return names;
}

/** Returns the same object while nothing changes, so that lists prepared with it can be reused. */
function createRules(parts: EndpointParts, isAlone: () => boolean): (config: UpstreamConfig) => CatalogRules {
  const known = new WeakMap<UpstreamConfig, CatalogRules>();
  return (config) => {
    const before = known.get(config);
    const rules = before ?? {
      ...toRules(config, parts),
      relaysLaterRevisions: !parts.isMerged && relaysLaterRevisions(config),
    };
    const keepsIdentity = isAlone() && rules.prefix === "";
    if (before?.keepsIdentity === keepsIdentity) return before;
    const now = { ...rules, keepsIdentity };
    known.set(config, now);
    return now;
  };
}

function toRules(
  { name, prefix = name, affinity, tasks, ...config }: UpstreamConfig,
  { isMerged, toolFilter }: EndpointParts,
): CatalogRules {
  const tools = createNameRule(config.tools);
  return {
    prefix: isMerged ? prefix : "",
    tools: toolFilter ? { offered: (own) => toolFilter.offered(own) && tools.offered(own) } : tools,
    prompts: createNameRule(config.prompts),
    resources: createUriRule(config.resources),
    ...(affinity === "handle" && { toOfferedTool: withSessionArgument }),
    makesTasks: tasks === "auto",
    relaysTasks: affinity !== "call",
  };
}
