// The access policy (G-5): the first rule that matches decides, and requests without a matching rule are denied.
import type { Caller } from "@lethe/protocol";
import { createUriPatterns } from "../../catalog/uri-patterns.ts";
import { createUriReader } from "../../catalog/uri-readings.ts";
import { createNameMatcher, hasStar } from "../../config/name-matcher.ts";
import type { PolicyRule } from "../../config/schema/settings.ts";

/** Rules for resources also apply to templates. */
export type TargetKind = "tool" | "prompt" | "resource" | "template";

/** The target of a request, by the upstream's own names. */
export interface Target {
  method: string;
  /** Undefined for a target that belongs to no upstream. */
  upstream?: string | undefined;
  kind?: TargetKind;
  /** A name, a URI, or the text of a template. */
  name?: string;
  /** A method that the core does not define. Its effect is unknown, so only a rule that names methods allows it. */
  isUnknownMethod?: boolean;
}

/** The scopes that would allow the request: the caller needs all of them. */
export type Decision = "allow" | "deny" | { readonly scopes: readonly string[] };

/** The decisions for all callers that the rules treat alike. */
export interface Profile {
  /** Equal for callers with the same permissions. */
  readonly key: string;
  decide(target: Target): Decision;
}

export interface Policy {
  profileOf(caller: Caller | undefined): Profile;
}

/** The number of cached profiles. Beyond it the cache starts anew. */
const maxProfiles = 1_000;

export function createPolicy(rules: readonly PolicyRule[]): Policy {
  const readUri = createUriReader();
  const candidatesOf = indexByCaller(rules.map((rule, place) => compile(rule, place, readUri)));
  const profiles = new Map<string, Profile>();
  const known = new WeakMap<Caller, Profile>();

  function makeProfile(caller: Caller | undefined): Profile {
    const applicable: ApplicableRule[] = [];
    let key = "";
    for (const rule of candidatesOf(caller)) {
      const applies = rule.appliesTo(caller);
      if (applies === "no") continue;
      applicable.push({ rule, needsScopes: applies === "with more scopes" });
      key += `${rule.place}${applies === "yes" ? "y" : "s"}`;
    }
    let profile = profiles.get(key);
    if (!profile) {
      if (profiles.size >= maxProfiles) profiles.clear();
      profile = { key, decide: createDecide(applicable) };
      profiles.set(key, profile);
    }
    return profile;
  }

  return {
    profileOf(caller) {
      const found = caller && known.get(caller);
      if (found) return found;
      const profile = makeProfile(caller);
      if (caller) known.set(caller, profile);
      return profile;
    },
  };
}

type Applies = "yes" | "no" | "with more scopes";

interface ApplicableRule {
  readonly rule: CompiledRule;
  readonly needsScopes: boolean;
}

/**
 * Returns the function that finds the rules that may apply to a caller, in their order. With a rule for each of thousands of callers, a request
 * looks at those of its caller and at those for patterns.
 */
function indexByCaller(rules: readonly CompiledRule[]): (caller: Caller | undefined) => readonly CompiledRule[] {
  const byId = new Map<string, CompiledRule[]>();
  const general: CompiledRule[] = [];
  for (const rule of rules) {
    if (!rule.callerIds) general.push(rule);
    for (const id of rule.callerIds ?? []) {
      const own = byId.get(id);
      if (own) own.push(rule);
      else byId.set(id, [rule]);
    }
  }
  return (caller) => {
    const own = caller && byId.get(caller.id);
    return own ? [...own, ...general].sort((a, b) => a.place - b.place) : general;
  };
}

interface CompiledRule {
  /** Its index in the policy. */
  place: number;
  /** All callers to which it may apply, if it names them without patterns. */
  callerIds: ReadonlySet<string> | undefined;
  effect: PolicyRule["effect"];
  scopes: readonly string[];
  appliesTo(caller: Caller | undefined): Applies;
  fits(target: Target): boolean;
}

type ReadUri = ReturnType<typeof createUriReader>;

function compile(rule: PolicyRule, place: number, readUri: ReadUri): CompiledRule {
  const { effect, callers, scopes = [] } = rule;
  const isCaller = createNameMatcher(callers ?? ["*"]);
  const isMethod = createNameMatcher(rule.methods ?? ["*"]);
  const isUpstream = createNameMatcher(rule.upstreams ?? ["*"]);
  const names = namesOf(rule, readUri);
  return {
    place,
    callerIds: callers?.some(hasStar) === false ? new Set(callers) : undefined,
    effect,
    scopes,
    appliesTo(caller) {
      if (callers && (!caller || !isCaller(caller.id))) return "no";
      if (scopes.every((scope) => caller?.scopes?.includes(scope))) return "yes";
      // Requesting more scopes helps only callers that can have scopes, and only if a rule allows the request.
      return caller && effect === "allow" ? "with more scopes" : "no";
    },
    fits({ method, upstream, kind, name, isUnknownMethod }) {
      if (isUnknownMethod && effect === "allow" && !rule.methods) return false;
      if (!isMethod(method)) return false;
      if (rule.upstreams && (upstream === undefined || !isUpstream(upstream))) return false;
      if (!names) return true;
      const isNamed = kind && names.get(kind);
      return isNamed !== undefined && name !== undefined && isNamed(name);
    },
  };
}

type NameTest = (name: string) => boolean;

/** Returns undefined if the rule applies to everything. */
function namesOf(rule: PolicyRule, readUri: ReadUri): ReadonlyMap<TargetKind, NameTest> | undefined {
  const { effect, tools, prompts, resources } = rule;
  if (!tools && !prompts && !resources) return undefined;
  const tests = new Map<TargetKind, NameTest>();
  if (tools) tests.set("tool", createNameMatcher(tools));
  if (prompts) tests.set("prompt", createNameMatcher(prompts));
  if (resources) {
    const { matchesSome, matchesEvery } = createUriPatterns(resources);
    const matches = effect === "deny" ? matchesSome : matchesEvery;
    tests.set("resource", (uri) => matches(readUri(uri)));
    tests.set("template", (text) => matches(readUri(text, "template")));
  }
  return tests;
}

function createDecide(applicable: readonly ApplicableRule[]): Profile["decide"] {
  return (target) => {
    let missing: readonly string[] | undefined;
    for (const { rule, needsScopes } of applicable) {
      if (!rule.fits(target)) continue;
      if (needsScopes) missing ??= rule.scopes;
      else if (rule.effect === "allow") return "allow";
      else break;
    }
    return missing ? { scopes: missing } : "deny";
  };
}
