// Declares the authorization extensions of the front door in server/discover, and so in initialize: how clients can get the tokens that
// the gateway accepts. Those of upstreams are never passed on, because they describe other tokens.
import { isJsonObject, type Middleware, method, type Result, withReadyText } from "@lethe/protocol";

/** The names are those of the ids, without the prefix of the specification. */
export function declareAuthorization(names: readonly string[]): Middleware {
  const own = Object.fromEntries(names.map((name) => [`io.modelcontextprotocol/${name}`, {}]));
  /** The results of an endpoint are serialized once, so that these are too. */
  const made = new WeakMap<Result, Result>();
  return (next) => async (request, exchange) => {
    const result = await next(request, exchange);
    if (request.method !== method.discover || !isJsonObject(result.capabilities)) return result;
    const known = made.get(result);
    if (known) return known;
    const { capabilities } = result;
    const extensions = { ...(isJsonObject(capabilities.extensions) && capabilities.extensions), ...own };
    const declared = withReadyText<Result>({ ...result, capabilities: { ...capabilities, extensions } });
    made.set(result, declared);
    return declared;
  };
}
