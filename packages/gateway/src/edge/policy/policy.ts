// Who may use what (G-5): rules read from top to bottom, the first that applies decides, and what none allows is denied.
import type { Caller } from "@lethe/protocol";
import { createUriPatterns } from "../../catalog/uri-patterns.ts";
import { createUriReader } from "../../catalog/uri-readings.ts";
import type { PolicyRule } from "../../config/gateway-settings.ts";
import { createNameMatcher } from "../../config/name-matcher.ts";

/** Rules about resources are also about templates. */
export type TargetKind = "tool" | "prompt" | "resource" | "template";

/** What a request is about, in the upstream's own names. */
export interface Target {
  method: string;
  /** Undefined for what belongs to no upstream. */
  upstream?: string | undefined;
  kind?: TargetKind;
  /** A name, a URI, or the text of a template. */
  name?: string;
}

/** With scopes: allowed to a caller who has all of them as well (G-4). */
export type Decision = "allow" | "deny" | { readonly scopes: readonly string[] };

/** What the rules come to for callers that are alike to them. */
export interface Profile {
  /** Equal for callers to whom the same is allowed. */
  readonly key: string;
  decide(target: Target): Decision;
}

export interface Policy {
  profileOf(caller: Caller | undefined): Profile;
}

/** Callers that differ to the rules; beyond so many, profiles are made anew. */
const maxProfiles = 1_000;

export function createPolicy(rules: readonly PolicyRule[]): Policy {
  const readUri = createUriReader();
  const compiled = rules.map((rule) => compile(rule, readUri));
  const profiles = new Map<string, Profile>();
  const known = new WeakMap<Caller, Profile>();

  function makeProfile(caller: Caller | undefined): Profile {
    const applicable = compiled.map((rule) => rule.appliesTo(caller));
    const key = applicable.map((applies) => toLetter[applies]).join("");
    let profile = profiles.get(key);
    if (!profile) {
      if (profiles.size >= maxProfiles) profiles.clear();
      profile = { key, decide: createDecide(compiled, applicable) };
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
const toLetter: Readonly<Record<Applies, string>> = { yes: "y", no: "n", "with more scopes": "s" };

interface CompiledRule {
  effect: PolicyRule["effect"];
  scopes: readonly string[];
  appliesTo(caller: Caller | undefined): Applies;
  fits(target: Target): boolean;
}

type ReadUri = ReturnType<typeof createUriReader>;

function compile(rule: PolicyRule, readUri: ReadUri): CompiledRule {
  const { effect, callers, scopes = [] } = rule;
  const isCaller = createNameMatcher(callers ?? ["*"]);
  const isMethod = createNameMatcher(rule.methods ?? ["*"]);
  const isUpstream = createNameMatcher(rule.upstreams ?? ["*"]);
  const names = namesOf(rule, readUri);
  return {
    effect,
    scopes,
    appliesTo(caller) {
      if (callers && (!caller || !isCaller(caller.id))) return "no";
      if (scopes.every((scope) => caller?.scopes?.includes(scope))) return "yes";
      // Asking for more scopes is of use to those only who can have any, and to be allowed only.
      return caller && effect === "allow" ? "with more scopes" : "no";
    },
    fits({ method, upstream, kind, name }) {
      if (!isMethod(method)) return false;
      if (rule.upstreams && (upstream === undefined || !isUpstream(upstream))) return false;
      if (!names) return true;
      const isNamed = kind && names.get(kind);
      return isNamed !== undefined && name !== undefined && isNamed(name);
    },
  };
}

type NameTest = (name: string) => boolean;

/** Undefined when the rule is about everything. */
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

function createDecide(rules: readonly CompiledRule[], applicable: readonly Applies[]): Profile["decide"] {
  return (target) => {
    let missing: readonly string[] | undefined;
    for (const [index, rule] of rules.entries()) {
      const applies = applicable[index];
      if (applies === "no" || !rule.fits(target)) continue;
      if (applies === "with more scopes") missing ??= rule.scopes;
      else if (rule.effect === "allow") return "allow";
      else break;
    }
    return missing ? { scopes: missing } : "deny";
  };
}
