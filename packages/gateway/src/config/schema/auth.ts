// `gateway.auth` and `gateway.policy`: who may call, and what each caller may use (G.1).
import type { AuthSettings, JwtSettings, KeySettings, PolicyRule } from "./settings.ts";
import {
  choice,
  list,
  named,
  optional,
  quoted,
  required,
  secret,
  section,
  text,
  texts,
  url,
  type Value,
} from "./values.ts";

/** The characters of a bearer token (RFC 6750). */
const bearer = /^[A-Za-z0-9._~+/-]+=*$/;

/** Long enough that no caller can guess it. */
export const longText: typeof text = text.min(16, {
  error: ({ input }) => `must have at least 16 characters, got ${String(input).length}`,
  abort: true,
});

const bearerKey = secret(longText.regex(bearer, { error: "must consist of A-Z a-z 0-9 - . _ ~ + / only" }));

const keySettings: Value<KeySettings> = section({
  id: required(text, "The name of the caller. Its id in policies is `key ID`.", { examples: ["ci"] }),
  key: required(bearerKey, "The key that the caller sends as `Authorization: Bearer KEY`, of at least 16 characters.", {
    examples: ["${CI_KEY}"],
  }),
  scopes: optional(texts, "The scopes of the caller. Default: none.", { examples: [["read"]] }),
})
  .transform((key) => ({ ...key, scopes: key.scopes ?? [] }))
  .meta({ id: "KeySettings", description: "A caller with a key of its own." });

const httpsUrl = url.refine(isSafe, quoted("must be an https URL"));

const algorithms = texts.superRefine((given, context) => {
  const refused = given.find((algorithm) => algorithm === "none" || algorithm.startsWith("HS"));
  if (refused !== undefined) context.addIssue({ code: "custom", message: `must be asymmetric, got "${refused}"` });
});

const scopesSupported = texts.refine((scopes) => !scopes.includes("offline_access"), {
  error: "must not name offline_access, which is the client's wish (G-6)",
});

const jwtSettings: Value<JwtSettings> = section({
  issuer: required(url, "The issuer that tokens must name.", { examples: ["https://login.example.com"] }),
  jwksUrl: required(httpsUrl, "The URL of the issuer's keys (JWKS). https, or http to this machine.", {
    examples: ["https://login.example.com/jwks"],
  }),
  audience: optional(texts, "The audiences that tokens may name. Default: `publicUrl`.", {
    examples: [["https://mcp.example.com/mcp"]],
  }),
  algorithms: optional(
    algorithms,
    "The accepted signature algorithms, all asymmetric. Default: those of `verifyJwt` of @lethe/server.",
    {
      examples: [["RS256"]],
    },
  ),
  authorizationServers: optional(
    list(httpsUrl, "strings"),
    "The authorization servers that clients may get tokens from. Default: the issuer.",
    { examples: [["https://login.example.com"]] },
  ),
  scopesSupported: optional(scopesSupported, "The scopes that the metadata of the endpoint lists.", {
    examples: [["mcp"]],
  }),
  requiredScopes: optional(texts, "The scopes that every token must have. Default: none.", { examples: [["mcp"]] }),
  scopeHierarchy: optional(named(texts), "The scopes that each scope includes. Default: none.", {
    examples: [{ admin: ["read", "write"] }],
  }),
  extensions: optional(
    list(choice("oauth-client-credentials", "enterprise-managed-authorization"), "strings"),
    "The authorization extensions that the gateway declares to clients at every endpoint: the ways to get these tokens that the authorization servers support. Default: none.",
    { examples: [["oauth-client-credentials"]] },
  ),
})
  .transform((jwt) => ({ ...jwt, authorizationServers: jwt.authorizationServers ?? [jwt.issuer] }))
  .meta({ id: "JwtSettings", description: "Tokens (JWT) of an authorization server, issued for `publicUrl`." });

const keys = list(keySettings).superRefine((given, context) => {
  const fail = (message: string) => context.addIssue({ code: "custom", message });
  const seen = { ids: new Set<string>(), keys: new Set<string>() };
  for (const { id, key } of given) {
    if (seen.ids.has(id)) fail(`must each have an id of their own, got "${id}" twice`);
    if (seen.keys.has(key)) fail(`must differ, got the same key for "${id}" again`);
    seen.ids.add(id);
    seen.keys.add(key);
  }
});

export const authSettings: Value<AuthSettings> = section({
  keys: optional(keys, "Callers with keys.", { examples: [[{ id: "ci", key: "${CI_KEY}", scopes: ["read"] }]] }),
  jwt: optional(jwtSettings, "Callers with tokens of an authorization server."),
})
  .refine((auth) => auth.jwt !== undefined || (auth.keys ?? []).length > 0, { error: 'must have "keys" or "jwt"' })
  .meta({ id: "AuthSettings", description: "How callers authenticate. Absent: no authentication." });

const patterns = (of: string) => `Patterns of ${of}. \`*\` matches any text.`;

export const policyRule: Value<PolicyRule> = section({
  effect: required(choice("allow", "deny"), "What the rule decides.", { examples: ["allow"] }),
  callers: optional(texts, patterns("caller ids"), { examples: [["key ci"]] }),
  scopes: optional(texts, "The caller must have all of these scopes.", { examples: [["admin"]] }),
  methods: optional(texts, patterns("methods"), { examples: [["tools/*"]] }),
  upstreams: optional(texts, patterns("upstream names"), { examples: [["github"]] }),
  tools: optional(
    texts,
    `${patterns("the upstream's own names of tools")} A rule that names tools applies only to tools, and so on.`,
    { examples: [["get_*"]] },
  ),
  prompts: optional(texts, patterns("the upstream's own names of prompts"), { examples: [["review_*"]] }),
  resources: optional(texts, patterns("URIs of the upstream"), { examples: [["file:///data/*"]] }),
}).meta({ id: "PolicyRule", description: "A rule applies if all of its members match." });

/** https, or http to this machine. */
function isSafe(given: string): boolean {
  const { protocol, hostname } = new URL(given);
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));
}
