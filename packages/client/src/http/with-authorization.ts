// Adds an authorizer to an HTTP connection of any era (B-78, D.3/7).
import { type HeaderReader, isJsonObject } from "@lethe/protocol";
import type { Authorizer } from "../auth/authorizer.ts";
import { holdClock } from "../call/cancel-signal.ts";
import type { HttpAnswer, HttpRequest, HttpSend } from "./http-send.ts";

/**
 * Wraps a send function: adds the headers of the authorizer, and repeats a request that the server rejected with 401 or 403 while the
 * authorizer gets new tokens. Responses with 401 or 403 pass only if the authorizer cannot handle them. Rejects with the AuthorizationError
 * of the authorizer. A DELETE uses the token at hand: ending a session must not require the user to sign in.
 *
 * @example
 * import { createFetchSend } from "@lethe/client";
 * import { withAuthorization } from "@lethe/client/edge";
 *
 * const echo = createFetchSend(async (_, { headers }) => new Response(new Headers(headers).get("authorization")));
 * const send = withAuthorization(echo, {
 *   authorize: () => ({ authorization: "Bearer token" }),
 *   onUnauthorized: async () => "report",
 * });
 * const answer = await send({ url: new URL("https://mcp.example.com/mcp"), method: "POST", headers: {} });
 * console.log(await answer.text(1_000)); // Bearer token
 */
export function withAuthorization(send: HttpSend, authorizer: Authorizer): HttpSend {
  return async (request) => {
    const isParting = request.method === "DELETE";
    for (;;) {
      const own = authorizer.authorize(request);
      const sent = own instanceof Promise ? await (isParting ? own : holdClock(own, request.signal)) : own;
      const answer = await send({ ...request, headers: Object.assign({}, request.headers, sent) });
      const { status } = answer;
      const headers: HeaderReader = (name) => answer.headers(name);
      authorizer.onAnswer?.(headers);
      if ((status !== 401 && status !== 403) || isParting) return answer;
      const refusal = { request, sent, status, headers, operation: operationOf(request) };
      const verdict = await holdClock(discardIfThrown(authorizer.onUnauthorized(refusal), answer), request.signal);
      if (verdict === "report") return answer;
      answer.discard();
    }
  };
}

async function discardIfThrown<T>(promise: Promise<T>, answer: HttpAnswer): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    answer.discard();
    throw error;
  }
}

/** The body contains it in every era; the mirrored headers exist only in the modern one. */
function operationOf({ method: verb, body }: HttpRequest): string {
  if (body === undefined) return verb;
  const message: unknown = JSON.parse(body);
  if (!isJsonObject(message)) return verb;
  const { method, params } = message;
  const target = isJsonObject(params) ? (params.name ?? params.uri) : undefined;
  return typeof target === "string" ? `${method} ${target}` : String(method);
}
