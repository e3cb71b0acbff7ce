// Applies the policy to a Dispatch. A denied request fails as if its target did not exist (J-45), and lists contain only what
// their reader may use. The decision uses the parsed request, whose headers have already been checked against it.
import {
  type Caller,
  expectObject,
  expectString,
  invalidParams,
  isTaskMethod,
  type JsonObject,
  type McpError,
  type Middleware,
  type ModernRequest,
  method,
  methodInfo,
  methodNotFound,
  parseListenFilter,
  type Result,
  resourceNotFound,
  withReadyText,
} from "@lethe/protocol";
import { requireScopes } from "@lethe/server/auth";
import { missingMetaKey } from "../../catalog/catalog-view.ts";
import type { Decision, Policy, Profile, Target, TargetKind } from "./policy.ts";
import { asPolicyDenial } from "./policy-denial.ts";

/**
 * Returns the locations of a name: several for a URI that several upstreams may have, none for an unknown name. If a list
 * contains a name more than once, as for templates, its first item belongs to the first location.
 */
export type Locate = (kind: TargetKind, name: string) => readonly { upstream: string; name: string }[];

export interface GuardOptions {
  policy: Policy;
  /** Locates names as one request means them. */
  locateFor(request: ModernRequest, caller: Caller | undefined): Locate;
  /** The upstream of requests without a target. Absent: they have none. */
  upstream?: string;
  /** Returns the upstream of a method that the core does not define. Default: `upstream`. */
  ownerOf?(request: ModernRequest, caller: Caller | undefined): string | undefined;
}

export function createGuard({ policy, locateFor, upstream, ownerOf = () => upstream }: GuardOptions): Middleware {
  const filterList = createListFilter();

  /**
   * A URI of several upstreams may be read if one of them is allowed; the Dispatch chooses that one (`mayRead`). The same applies to
   * a tool that an app calls by its own name (`mayCall`). All other requests need permission for every upstream they may reach.
   */
  function decideAll(profile: Profile, requested: string, { kind, name }: Named, locate: Locate): Decision | undefined {
    const decisions = locate(kind, name).map((place) => profile.decide(toTarget(place, requested, kind)));
    const refusal = decisions.find((decision) => decision !== "allow");
    const isOneEnough = requested === method.readResource || requested === method.callTool;
    return isOneEnough && decisions.includes("allow") ? "allow" : (refusal ?? decisions[0]);
  }

  function check(request: ModernRequest, caller: Caller | undefined, profile: Profile): void {
    const named = namedBy(request);
    // The entry of a skill is for callers that may read the skill.
    const requested = isSkillMethod(request.method) ? method.readResource : request.method;
    const decision = named
      ? decideAll(profile, requested, named, locateFor(request, caller))
      : profile.decide(toUnnamed(request, caller));
    // The Dispatch rejects an unknown name.
    if (decision === undefined || decision === "allow") return;
    if (decision !== "deny") requireScopes(caller, decision.scopes);
    throw asPolicyDenial(named ? toUnknown(named) : methodNotFound(request.method));
  }

  function toUnnamed(request: ModernRequest, caller: Caller | undefined): Target {
    const { method: requested } = request;
    const info = methodInfo(requested);
    if (info && info.extension === undefined) return { method: requested, upstream };
    return { method: requested, upstream: ownerOf(request, caller), isUnknownMethod: true };
  }

  return (next) => async (request, exchange) => {
    const profile = policy.profileOf(exchange.caller);
    const list = listOf[request.method];
    if (list) {
      const result = await next(request, exchange);
      const filtered = filterList(result, list, { profile, locate: locateFor(request, exchange.caller) });
      return withVisibleMissing(filtered, request.method, profile);
    }
    if (request.method === method.discover || request.method === method.listSkills) {
      const result = await next(request, exchange);
      // The Dispatch lists only skills that the caller may read (`mayRead`).
      const own: Result = request.method === method.discover ? result : { ...result, cacheScope: "private" };
      return withVisibleMissing(own, request.method, profile);
    }
    // Task requests need permission for the tool, which only the Dispatch finds in the task id (`mayCall`).
    if (isTaskMethod(request.method)) return next(request, exchange);
    if (request.method === method.listen) {
      return next(withReadable(request, profile, locateFor(request, exchange.caller)), exchange);
    }
    check(request, exchange.caller, profile);
    if (isSkillMethod(request.method)) return { ...(await next(request, exchange)), cacheScope: "private" };
    return next(request, exchange);
  };
}

interface Named {
  kind: TargetKind;
  name: string;
}

/** Its target is a resource, although its header names none. */
function isSkillMethod(requested: string): boolean {
  return requested === method.getSkill || requested === method.readDirectory;
}

/** Throws McpError if a request does not name its target. */
function namedBy({ method: requested, params }: ModernRequest): Named | undefined {
  if (requested === method.complete) {
    const ref = expectObject(params, "ref");
    return ref.type === "ref/prompt"
      ? { kind: "prompt", name: expectString(ref, "name") }
      : { kind: "template", name: expectString(ref, "uri") };
  }
  if (isSkillMethod(requested)) return { kind: "resource", name: expectString(params, "uri") };
  const target = methodInfo(requested)?.target;
  if (!target || target.kind === "task") return undefined;
  return { kind: target.kind, name: expectString(params, target.member) };
}

/** The same error as for an unknown name. */
function toUnknown({ kind, name }: Named): McpError {
  return kind === "tool" || kind === "prompt" ? invalidParams(`unknown ${kind}: ${name}`) : resourceNotFound(name);
}

function toTarget(place: { upstream: string; name: string }, requested: string, kind: TargetKind): Target {
  return { ...place, method: requested, kind };
}

interface ListShape {
  /** The member of the result. */
  member: string;
  kind: TargetKind;
  /** The member of an item that holds its name. */
  naming: string;
  /** The method by which a caller uses an item. */
  use: string;
}

const listOf: Readonly<Record<string, ListShape>> = {
  __proto__: null as never,
  [method.listTools]: { member: "tools", kind: "tool", naming: "name", use: method.callTool },
  [method.listPrompts]: { member: "prompts", kind: "prompt", naming: "name", use: method.getPrompt },
  [method.listResources]: { member: "resources", kind: "resource", naming: "uri", use: method.readResource },
  [method.listResourceTemplates]: {
    member: "resourceTemplates",
    kind: "template",
    naming: "uriTemplate",
    use: method.readResource,
  },
};

interface Reader {
  readonly profile: Profile;
  readonly locate: Locate;
}

/** A list that all callers share is filtered and serialized once per profile. */
function createListFilter(): (list: Result, shape: ListShape, reader: Reader) => Result {
  const made = new WeakMap<Result, Map<string, Result>>();

  function filter(list: Result, { member, kind, naming, use }: ListShape, { profile, locate }: Reader): Result {
    const items = Array.isArray(list[member]) ? (list[member] as JsonObject[]) : [];
    const met = new Map<string, number>();
    const visible = items.filter((item) => {
      const name = String(item[naming]);
      const nth = met.get(name) ?? 0;
      met.set(name, nth + 1);
      const place = locate(kind, name)[nth];
      return place !== undefined && profile.decide(toTarget(place, use, kind)) === "allow";
    });
    // The list was made for one reader and must not be cached for others (J-59).
    return withReadyText<Result>({ ...list, [member]: visible, cacheScope: "private" });
  }

  return (list, shape, reader) => {
    const { profile } = reader;
    const byProfile = made.get(list) ?? new Map<string, Result>();
    made.set(list, byProfile);
    const filtered = byProfile.get(profile.key) ?? filter(list, shape, reader);
    byProfile.set(profile.key, filtered);
    return filtered;
  };
}

/** A caller learns the names of missing upstreams only if a rule allows it to use them. */
function withVisibleMissing(result: Result, requested: string, profile: Profile): Result {
  const { [missingMetaKey]: names, ..._meta } = result._meta ?? {};
  if (!Array.isArray(names)) return result;
  const visible = names.filter((upstream) => profile.decide({ method: requested, upstream }) === "allow");
  if (visible.length === names.length) return result;
  return withReadyText<Result>({
    ...result,
    cacheScope: "private",
    _meta: visible.length === 0 ? _meta : { ..._meta, [missingMetaKey]: visible },
  });
}

/** A caller is notified only about resources it may read, regardless of which upstream owns them. */
function withReadable(request: ModernRequest, profile: Profile, locate: Locate): ModernRequest {
  const wanted = parseListenFilter(request.params);
  if (!wanted.resourceSubscriptions) return request;
  const mayRead = (place: { upstream: string; name: string }) =>
    profile.decide({ ...place, method: method.readResource, kind: "resource" }) === "allow";
  const uris = wanted.resourceSubscriptions.filter((uri) => locate("resource", uri).every(mayRead));
  return { ...request, params: { ...request.params, notifications: { ...wanted, resourceSubscriptions: uris } } };
}
