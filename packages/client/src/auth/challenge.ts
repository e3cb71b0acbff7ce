// Parses the WWW-Authenticate header (RFC 9110 section 11.6.1, G-20): several challenges, quoted strings, parameters in any order.

export interface Challenge {
  /** Lower case. */
  readonly scheme: string;
  /** Values by lower-case name. The first of a repeated name counts. */
  readonly params: ReadonlyMap<string, string>;
}

/** What a server's challenges require. */
export interface AuthChallenge {
  readonly resourceMetadata: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
  /** True if DPoP is offered (RFC 9449). */
  readonly offersDpop: boolean;
  /** True if DPoP is the only offered scheme. */
  readonly requiresDpop: boolean;
}

export function readAuthChallenge(header: string | undefined): AuthChallenge {
  const challenges = header === undefined ? [] : parseChallenges(header);
  const bearer = challenges.filter(({ scheme }) => scheme === "bearer");
  const dpop = challenges.filter(({ scheme }) => scheme === "dpop");
  const usable = [...bearer, ...dpop];
  const first = (name: string) => usable.find(({ params }) => params.has(name))?.params.get(name);
  return {
    resourceMetadata: first("resource_metadata"),
    scopes: parseScopes(first("scope")),
    error: first("error"),
    offersDpop: dpop.length > 0,
    requiresDpop: dpop.length > 0 && bearer.length === 0,
  };
}

/** Undefined if the scope names nothing. */
export function parseScopes(scope: string | undefined): readonly string[] | undefined {
  const scopes = scope?.split(/\s+/).filter((name) => name !== "");
  return scopes === undefined || scopes.length === 0 ? undefined : [...new Set(scopes)];
}

const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
/** A parameter name with its equals sign. A token after a comma without one begins the next challenge. */
const paramName = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*=[ \t]*/y;
const quoted = /"((?:[^"\\]|\\.)*)"/sy;
const token68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const blank = /[ \t]*/y;
const separators = /[ \t,]*/y;
const upToComma = /[^,]*/y;

/** Never throws. Skips malformed input up to the next comma. */
export function parseChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  let at = 0;

  function take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const match = pattern.exec(header) ?? undefined;
    if (match) at = pattern.lastIndex;
    return match;
  }

  function takeParams(params: Map<string, string>): void {
    for (;;) {
      const beforeName = at;
      take(separators);
      const name = take(paramName)?.[1]?.toLowerCase();
      if (name === undefined) {
        at = beforeName;
        return;
      }
      const text = take(quoted)?.[1]?.replaceAll(/\\(.)/gs, "$1") ?? take(token)?.[0];
      if (text !== undefined && !params.has(name)) params.set(name, text);
      take(blank);
      if (at < header.length && header[at] !== ",") take(upToComma);
    }
  }

  for (take(separators); at < header.length; take(separators)) {
    const scheme = take(token)?.[0]?.toLowerCase();
    if (scheme === undefined) {
      take(upToComma);
      continue;
    }
    const params = new Map<string, string>();
    if (take(blank)?.[0] !== "") take(token68);
    takeParams(params);
    challenges.push({ scheme, params });
    take(upToComma);
  }
  return challenges;
}
