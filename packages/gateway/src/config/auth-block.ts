// Reads `gateway.auth`: how callers authenticate (G.1).
import type { AuthSettings, JwtSettings, KeySettings } from "./gateway-settings.ts";
import { present } from "./present.ts";
import type { Section } from "./section.ts";

export function readAuth(section: Section | undefined, onSecret: (value: string) => void): AuthSettings | undefined {
  if (!section) return undefined;
  const keys = section.sections("keys")?.map((key) => readKey(key, onSecret));
  for (const [index, { id, key }] of (keys ?? []).entries()) {
    const others = keys?.slice(0, index) ?? [];
    if (id !== "" && others.some((other) => other.id === id))
      section.fail("keys", `must each have an id of their own, got "${id}" twice`);
    if (key !== "" && others.some((other) => other.key === key))
      section.fail("keys", `must differ, got the same key for "${id}" again`);
  }
  const auth = present<AuthSettings>({ keys, jwt: readJwt(section.section("jwt")) });
  if (!section.has("jwt") && (keys ? keys.length === 0 : !section.has("keys")))
    section.fail(undefined, 'must have "keys" or "jwt"');
  section.rejectOthers();
  return auth;
}

/** The characters of a bearer token (RFC 6750). */
const bearer = /^[A-Za-z0-9._~+/-]+=*$/;

function readKey(section: Section, onSecret: (value: string) => void): KeySettings {
  const id = section.requiredText("id") ?? "";
  const key = section.requiredText("key");
  const scopes = section.texts("scopes") ?? [];
  section.rejectOthers();
  if (key !== undefined) onSecret(key);
  if (key !== undefined && key.length < 16) section.fail("key", `must have at least 16 characters, got ${key.length}`);
  else if (key !== undefined && !bearer.test(key)) section.fail("key", "must consist of A-Z a-z 0-9 - . _ ~ + / only");
  return { id, key: key ?? "", scopes };
}

function readJwt(section: Section | undefined): JwtSettings | undefined {
  if (!section) return undefined;
  const issuer = section.has("issuer") ? section.url("issuer") : section.requiredText("issuer");
  const jwksUrl = section.has("jwksUrl") ? section.url("jwksUrl") : section.requiredText("jwksUrl");
  const hierarchy = section.section("scopeHierarchy");
  const scopeHierarchy =
    hierarchy && Object.fromEntries(hierarchy.names.map((name) => [name, hierarchy.texts(name) ?? []]));
  const jwt = present<JwtSettings>({
    issuer: issuer ?? "",
    jwksUrl: jwksUrl ?? "",
    audience: section.texts("audience"),
    algorithms: section.texts("algorithms"),
    authorizationServers: section.texts("authorizationServers") ?? (issuer === undefined ? [] : [issuer]),
    scopesSupported: section.texts("scopesSupported"),
    requiredScopes: section.texts("requiredScopes"),
    scopeHierarchy,
  });
  const insecure = jwt.jwksUrl !== "" && !isSafe(jwt.jwksUrl);
  if (insecure) section.fail("jwksUrl", `must be an https URL, got "${jwt.jwksUrl}"`);
  for (const server of jwt.authorizationServers) {
    if (!isSafe(server)) section.fail("authorizationServers", `must be https URLs, got "${server}"`);
  }
  const refused = jwt.algorithms?.find((algorithm) => algorithm === "none" || algorithm.startsWith("HS"));
  if (refused !== undefined) section.fail("algorithms", `must be asymmetric, got "${refused}"`);
  if (jwt.scopesSupported?.includes("offline_access")) {
    section.fail("scopesSupported", "must not name offline_access, which is the client's wish (G-6)");
  }
  section.rejectOthers();
  return jwt;
}

/** https, or http to this machine. */
function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));
}
