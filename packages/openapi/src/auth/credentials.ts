// The operator's credentials for the API. A caller's own token is never among them.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { Context } from "@lethe/server";
import { ToolError } from "@lethe/server";
import { resolveObject, type Spec } from "../spec/spec.ts";
import { SpecProblem } from "../spec/spec-problem.ts";

/** A bearer token or an API key as text, or a user for the scheme `basic`. */
export type ApiCredential = string | { readonly username: string; readonly password: string };

/** What a function that supplies a credential gets. */
export interface CredentialRequest {
  /** The name of the tool, without the prefix of a mount. */
  readonly tool: string;
  /** The authenticated caller of the tool. Undefined without authentication. */
  readonly caller: Context["caller"];
  readonly signal: AbortSignal;
}

/** A credential, or a function that returns the one for a call. `undefined` refuses the call. */
export type CredentialSource =
  | ApiCredential
  | ((request: CredentialRequest) => ApiCredential | undefined | Promise<ApiCredential | undefined>);

/** Where a credential goes, and what it contains. */
export interface AppliedCredential {
  readonly in: "header" | "query" | "cookie";
  readonly name: string;
  readonly value: string;
  /** Texts that must not appear in errors. */
  readonly secrets: readonly string[];
}

interface Scheme {
  readonly source: CredentialSource;
  readonly kind: "bearer" | "basic" | "apiKey";
  readonly in: AppliedCredential["in"];
  readonly name: string;
}

export class Credentials {
  readonly #schemes: ReadonlyMap<string, Scheme>;

  /** Throws an Error for a scheme that the spec does not have, or that is not supported. */
  constructor(spec: Spec, auth: Readonly<Record<string, CredentialSource>>) {
    this.#schemes = new Map(Object.entries(auth).map(([name, source]) => [name, readScheme(spec, name, source)]));
  }

  /** Chooses the first alternative whose credentials are all known. Throws SpecProblem if there is none. */
  select(security: unknown): readonly string[] {
    const alternatives = Array.isArray(security) ? security.filter(isJsonObject).map(Object.keys) : [];
    const isKnown = (names: readonly string[]) => names.every((name) => this.#schemes.has(name));
    const known = alternatives.find((names) => names.length > 0 && isKnown(names));
    if (known) return known;
    if (alternatives.length === 0 || alternatives.some((names) => names.length === 0)) return [];
    const missing = alternatives.slice(0, 10).map((names) => names.join(" and "));
    throw new SpecProblem(`it needs credentials (auth): ${missing.join(", or ")}`);
  }

  /** The places of credentials, such as "query api_key". Names of headers are in lower case. */
  placesOf(schemes: readonly string[]): Set<string> {
    return new Set(schemes.map((name) => placeOf(this.#schemes.get(name) ?? unknownScheme(name))));
  }

  /** Rejects with ToolError if a function has no credential for the call. */
  async resolve(schemes: readonly string[], request: CredentialRequest): Promise<AppliedCredential[]> {
    return Promise.all(
      schemes.map(async (name) => {
        const scheme = this.#schemes.get(name) ?? unknownScheme(name);
        const { source } = scheme;
        const credential = typeof source === "function" ? await source(request) : source;
        if (credential === undefined) throw new ToolError("this server has no credential of the API for this caller");
        return apply(name, scheme, credential);
      }),
    );
  }
}

function unknownScheme(name: string): never {
  throw new Error(`there is no security scheme ${JSON.stringify(name)}`);
}

function placeOf({ in: place, name }: Scheme): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}

function readScheme(spec: Spec, name: string, source: CredentialSource): Scheme {
  const components = isJsonObject(spec.root.components) ? spec.root.components : {};
  const schemes = isJsonObject(components.securitySchemes) ? components.securitySchemes : {};
  const place = `auth.${name}`;
  if (!Object.hasOwn(schemes, name)) {
    const known = Object.keys(schemes).slice(0, 20).join(", ") || "none";
    throw new Error(`${place}: the spec has no such security scheme; it has ${known}`);
  }
  const scheme = toScheme(resolveObject(spec, schemes[name]), source);
  if (!scheme) {
    throw new Error(`${place}: only apiKey, oauth2, openIdConnect and http with bearer or basic are supported`);
  }
  if (typeof source !== "function") requireFitting(place, scheme.kind, source);
  return scheme;
}

function toScheme({ type, scheme, in: place, name }: JsonObject, source: CredentialSource): Scheme | undefined {
  const authorization = { source, in: "header", name: "authorization" } as const;
  if (type === "oauth2" || type === "openIdConnect") return { ...authorization, kind: "bearer" };
  const http = type === "http" && typeof scheme === "string" ? scheme.toLowerCase() : undefined;
  if (http === "bearer" || http === "basic") return { ...authorization, kind: http };
  if (type !== "apiKey" || typeof name !== "string") return undefined;
  if (place !== "header" && place !== "query" && place !== "cookie") return undefined;
  return { source, kind: "apiKey", in: place, name };
}

/** The message contains no part of the credential. */
function requireFitting(place: string, kind: Scheme["kind"], credential: ApiCredential): void {
  const isUser =
    isJsonObject(credential) && typeof credential.username === "string" && typeof credential.password === "string";
  if (kind === "basic" ? isUser : typeof credential === "string" && credential !== "") return;
  throw new Error(`${place}: ${kind === "basic" ? "{ username, password }" : "text that is not empty"} expected`);
}

function apply(place: string, { kind, in: location, name }: Scheme, credential: ApiCredential): AppliedCredential {
  requireFitting(`auth.${place}`, kind, credential);
  if (typeof credential === "string") {
    const value = kind === "bearer" ? `Bearer ${credential}` : credential;
    return { in: location, name, value, secrets: [credential, encodeURIComponent(credential)] };
  }
  const bytes = new TextEncoder().encode(`${credential.username}:${credential.password}`);
  const encoded = btoa(String.fromCharCode(...bytes));
  return { in: location, name, value: `Basic ${encoded}`, secrets: [credential.password, encoded] };
}
