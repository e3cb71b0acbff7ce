// Builds the HTTP request of a call from its arguments and credentials.
import type { JsonObject } from "@lethe/protocol";
import { ToolError } from "@lethe/server";
import type { AppliedCredential } from "../auth/credentials.ts";
import type { Operation } from "../operations/operation.ts";
import { encode, type Pair, toHeaderText, toPairs, toPathText } from "./serialize.ts";
import { toBody } from "./to-body.ts";

export interface ApiRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | FormData | undefined;
}

/** Throws ToolError for arguments that cannot be sent. */
export function buildRequest(
  operation: Operation,
  args: JsonObject,
  credentials: readonly AppliedCredential[],
): ApiRequest {
  const query: Pair[] = [];
  const cookies: Pair[] = [];
  const headers = new Headers({ accept: "application/json, */*;q=0.8" });
  const path = new Map<string, string>();
  for (const parameter of operation.parameters) {
    const value = Object.hasOwn(args, parameter.argument) ? args[parameter.argument] : undefined;
    if (value === undefined || (value === null && parameter.style !== "json")) continue;
    const { name } = parameter;
    if (parameter.in === "path") path.set(name, toPathText(name, value, parameter));
    else if (parameter.in === "query") query.push(...toPairs(name, value, parameter));
    else if (parameter.in === "cookie") cookies.push(...toPairs(name, value, parameter));
    else setHeader(headers, parameter.argument, name, toHeaderText(value, parameter));
  }
  const { contentType, body } = toBody(operation.body, args.body);
  if (contentType !== undefined) headers.set("content-type", contentType);
  const sent = withCredentials(headers, query, cookies, credentials);
  return { url: toUrl(operation, path, sent.query), method: operation.method.toUpperCase(), headers, body };
}

/** What a caller sent in the place of a credential is removed, also if the members of an object became parameters. */
function withCredentials(
  headers: Headers,
  query: readonly Pair[],
  cookies: readonly Pair[],
  credentials: readonly AppliedCredential[],
): { query: readonly Pair[] } {
  const pairs = { query: [...query], cookie: [...cookies] };
  for (const { in: place, name, value } of credentials) {
    if (place === "header") {
      headers.set(name, value);
      continue;
    }
    const key = encode(name);
    pairs[place] = [...pairs[place].filter(([other]) => other !== key), [key, encode(value)]];
  }
  if (pairs.cookie.length > 0) headers.set("cookie", pairs.cookie.map(toText).join("; "));
  return { query: pairs.query };
}

function toText([name, value]: Pair): string {
  return `${name}=${value}`;
}

function setHeader(headers: Headers, argument: string, name: string, text: string): void {
  if (!/^[\t\x20-\x7e]*$/.test(text)) {
    throw new ToolError(`${argument}: a header may only contain visible ASCII characters and spaces`);
  }
  headers.set(name, text);
}

/** No value leads out of the path: each is encoded, and segments that mean "this" or "parent" are rejected. */
function toUrl(operation: Operation, values: ReadonlyMap<string, string>, query: readonly Pair[]): URL {
  const path = operation.path.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const text = values.get(name) ?? "";
    if (text === "") throw new ToolError(`the argument for ${JSON.stringify(name)} in the path must not be empty`);
    return text;
  });
  // A URL parser treats %2e like a dot.
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw new ToolError('an argument in the path must not be "." or ".."');
  }
  const base = new URL(operation.baseUrl);
  const url = new URL(`${operation.baseUrl}${path}`);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname.replace(/\/$/, ""))) {
    throw new ToolError("an argument leads out of the API");
  }
  url.search = query.map(toText).join("&");
  return url;
}
