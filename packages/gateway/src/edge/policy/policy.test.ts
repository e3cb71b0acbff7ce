// Which rule decides about whom and what.
import type { Caller } from "@lethe/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNameMatcher } from "../../config/name-matcher.ts";
import type { PolicyRule } from "../../config/schema/settings.ts";
import { createPolicy, type Target } from "./policy.ts";

const ci: Caller = { id: "key ci", scopes: ["read"] };
const admin: Caller = { id: "https://as.example alice", scopes: ["read", "admin"] };
const read: Target = { method: "tools/call", upstream: "files", kind: "tool", name: "read_text" };
const write: Target = { ...read, name: "write_text" };
const prompt: Target = { method: "prompts/get", upstream: "files", kind: "prompt", name: "read_text" };
const resource = (name: string): Target => ({ method: "resources/read", upstream: "files", kind: "resource", name });

const decide = (rules: PolicyRule[], caller: Caller | undefined, target: Target) =>
  createPolicy(rules).profileOf(caller).decide(target);
const allow = (rule: Partial<PolicyRule> = {}): PolicyRule => ({ effect: "allow", ...rule });
const deny = (rule: Partial<PolicyRule> = {}): PolicyRule => ({ effect: "deny", ...rule });

describe("access policy decisions", () => {
  it.each<[string, PolicyRule[], Caller | undefined, Target, unknown]>([
    ["without a rule denies", [], ci, read, "deny"],
    ["with an open rule allows", [allow()], undefined, read, "allow"],
    ["goes by the first rule that applies", [deny({ tools: ["write_*"] }), allow()], ci, write, "deny"],
    ["continues with the next rule if one does not apply", [deny({ tools: ["write_*"] }), allow()], ci, read, "allow"],
    ["knows callers by pattern", [allow({ callers: ["key *"] })], ci, read, "allow"],
    ["knows callers by pattern", [allow({ callers: ["key *"] })], admin, read, "deny"],
    ["knows no stranger by any pattern", [allow({ callers: ["*"] })], undefined, read, "deny"],
    ["knows upstreams", [allow({ upstreams: ["git*"] })], ci, read, "deny"],
    ["knows upstreams", [allow({ upstreams: ["git*", "files"] })], ci, read, "allow"],
    ["knows methods", [allow({ methods: ["prompts/*"] })], ci, read, "deny"],
    ["knows methods", [allow({ methods: ["prompts/*"] })], ci, prompt, "allow"],
    ["a rule about tools says nothing about prompts", [allow({ tools: ["*"] })], ci, prompt, "deny"],
    ["a rule may name several kinds", [allow({ tools: ["x"], prompts: ["read_*"] })], ci, prompt, "allow"],
    [
      "a rule about upstreams says nothing about the rest",
      [allow({ upstreams: ["*"] })],
      ci,
      { method: "x/y" },
      "deny",
    ],
    ["a rule about methods alone does", [allow({ methods: ["x/*"] })], ci, { method: "x/y" }, "allow"],
    ["a scope that is there allows", [allow({ scopes: ["admin"] })], admin, write, "allow"],
    ["a scope that is missing is named (G-4)", [allow({ scopes: ["admin"] })], ci, write, { scopes: ["admin"] }],
    [
      "all scopes of a rule are named at once",
      [allow({ scopes: ["read", "x"] })],
      ci,
      write,
      { scopes: ["read", "x"] },
    ],
    [
      "the scopes of the first of several rules are named",
      [allow({ scopes: ["a"] }), allow({ scopes: ["b"] })],
      ci,
      write,
      { scopes: ["a"] },
    ],
    ["no scope is named that would only deny", [deny({ scopes: ["admin"] })], ci, write, "deny"],
    ["an anonymous caller learns no scope", [allow({ scopes: ["admin"] })], undefined, write, "deny"],
    ["no scope is named that another rule makes needless", [allow({ scopes: ["admin"] }), allow()], ci, write, "allow"],
    ["no scope is named that a rule before it denies", [deny(), allow({ scopes: ["admin"] })], ci, write, "deny"],
    [
      "a scope that goes before a denial is named",
      [allow({ scopes: ["admin"] }), deny()],
      ci,
      write,
      { scopes: ["admin"] },
    ],
    ["a scope may deny", [deny({ scopes: ["admin"] }), allow()], admin, read, "deny"],
    ["a scope that is missing denies nothing", [deny({ scopes: ["admin"] }), allow()], ci, read, "allow"],
  ])("a policy %s", (_name, rules, caller, target, expected) => {
    expect(decide(rules, caller, target)).toEqual(expected);
  });

  it.each([
    ["file:///data/a", "allow"],
    ["file:///data/../etc/passwd", "deny"],
    ["file:///data/%2e%2e/etc/passwd", "deny"],
    ["memo:any", "deny"],
  ])("decides about %s by the path that its server would read", (uri, expected) => {
    expect(decide([allow({ resources: ["file:///data/*"] })], ci, resource(uri))).toBe(expected);
    const denied = [deny({ resources: ["file:///etc/*"] }), allow()];
    expect(decide(denied, ci, resource("file:///data/../etc/passwd"))).toBe("deny");
  });

  const denials = ["secret*", "my secret*", "privé*", "a$b*"].map((name) => `file:///lab/data/${name}`);

  it.each([
    ["an empty name before the path", "file:////lab/data/secret.txt"],
    ["an empty name inside the path", "file:///lab//data/secret.txt"],
    ["an empty name after the host", "file:///lab/data//secret.txt"],
    ["several empty names", "file:////lab///data//secret.txt"],
    ["an encoded space", "file:///lab/data/my%20secret.txt"],
    ["an encoded letter with an accent", "file:///lab/data/priv%C3%A9.txt"],
    ["an encoded dollar sign", "file:///lab/data/a%24b.txt"],
  ])("denies a denied file that is spelled with %s: %s", (_name, uri) => {
    expect(decide([deny({ resources: denials }), allow()], ci, resource(uri))).toBe("deny");
  });

  it.each([
    ["an encoded slash", "file:///lab/data/pub/..%2fsecret.txt"],
    ["encoded dots and an encoded slash", "file:///lab/data/pub/%2e%2e%2fsecret.txt"],
  ])("allows no file beside an allowed folder that is spelled with %s: %s", (_name, uri) => {
    expect(decide([allow({ resources: ["file:///lab/data/pub/*"] })], ci, resource(uri))).toBe("deny");
  });

  it("decides about a template by its text", () => {
    const template: Target = { ...resource("file://{+path}"), kind: "template" };
    expect(decide([deny({ resources: ["file:///etc/*"] }), allow()], ci, template)).toBe("allow");
    expect(decide([deny({ resources: ["file://{+path}"] }), allow()], ci, template)).toBe("deny");
  });

  it("groups callers that match the same rules", () => {
    const policy = createPolicy([allow({ callers: ["key *"] }), allow({ scopes: ["admin"] })]);
    const another: Caller = { id: "key other", scopes: [] };
    expect(policy.profileOf(ci)).toBe(policy.profileOf(another));
    expect(policy.profileOf(ci).key).not.toBe(policy.profileOf(admin).key);
    expect(policy.profileOf(undefined).key).not.toBe(policy.profileOf(ci).key);
  });

  it("decides by the first rule that applies, for rules that name callers, give patterns, or do neither", () => {
    const rule = fc.record(
      {
        effect: fc.constantFrom("allow", "deny"),
        callers: fc.uniqueArray(fc.constantFrom("a", "b", "c", "a*", "*"), { minLength: 1 }),
        scopes: fc.constantFrom([], ["read"], ["write"]),
      },
      { requiredKeys: ["effect"] },
    );
    const caller = fc.record({ id: fc.constantFrom("a", "b", "ab", "other"), scopes: fc.constantFrom([], ["read"]) });
    const decideInTurn = (rules: PolicyRule[], asker: Caller | undefined) => {
      let missing: unknown;
      for (const { effect, ...condition } of rules) {
        const applies = decide([{ effect: "allow", ...condition }], asker, read);
        if (applies === "allow" && effect === "allow") return "allow";
        if (applies === "allow") break;
        if (applies !== "deny" && effect === "allow") missing ??= applies;
      }
      return missing ?? "deny";
    };
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), fc.option(caller, { nil: undefined }), (rules, asker) => {
        expect(decide(rules, asker, read)).toEqual(decideInTurn(rules, asker));
      }),
      { numRuns: 1_000 },
    );
  });

  it("remembers a limited number of caller groups and still decides for all others", () => {
    const scopes = Array.from({ length: 10 }, (_, index) => `scope ${index}`);
    const policy = createPolicy(scopes.map((scope) => allow({ scopes: [scope] })));
    const first = policy.profileOf({ id: "first", scopes: [] });
    expect(policy.profileOf({ id: "alike", scopes: [] })).toBe(first);
    for (let kind = 0; kind < 1_024; kind += 1) {
      policy.profileOf({ id: `kind ${kind}`, scopes: scopes.filter((_, bit) => (kind >> bit) % 2 === 1) });
    }
    const later = policy.profileOf({ id: "later", scopes: [] });
    expect(later).not.toBe(first);
    expect(later).toMatchObject({ key: first.key });
  });
});

describe("patterns of a policy", () => {
  it("a policy pattern matches as the regular expression with .* does", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        const expression = pattern
          .split("*")
          .map((part) => part.replaceAll(".", "\\."))
          .join(".*");
        expect(createNameMatcher([pattern])(name)).toBe(new RegExp(`^${expression}$`).test(name));
      }),
      { numRuns: 2_000 },
    );
  });
});
