// The server's Dispatch: finds the method (B-35 steps 11 and 12), runs middleware, and hides internal errors.
import {
  type Dispatch,
  type Exchange,
  errorCode,
  invalidParams,
  isLogLevel,
  isMcpError,
  isOffered,
  type JsonObject,
  McpError,
  type Middleware,
  type ModernRequest,
  metaKey,
  methodNotFound,
  type Result,
  withMiddleware,
} from "@lethe/protocol";
import { callerMessageOf } from "../methods/caller-message.ts";
import type { Method } from "../methods/method.ts";
import { type Called, calledBy } from "../methods/report-error.ts";
import type { ServerParts } from "../methods/server-parts.ts";

export interface DispatchOptions {
  parts: ServerParts;
  /** May grow while the server runs. */
  methods: ReadonlyMap<string, Method>;
  middleware: readonly Middleware[];
  /** `_meta` of every result without `serverInfo`. */
  resultMeta: JsonObject | undefined;
}

/**
 * No function here is async: it would keep the whole request in memory while it runs, for a subscription perhaps
 * for days.
 */
export function createDispatch({ parts, methods, middleware, resultMeta }: DispatchOptions): Dispatch {
  const complete = (result: Result): Result => withServerInfo(result, resultMeta);

  function answer(request: ModernRequest, exchange: Exchange): Promise<Result> {
    try {
      const method = methods.get(request.method);
      // E-4, J-31: a method is served exactly when its capability is advertised.
      if (!method || !isOffered(request.method, parts.advertised().capabilities)) throw methodNotFound(request.method);
      requireLogLevel(request);
      const answered = method.answer(parts, request, exchange);
      return answered instanceof Promise ? answered.then(complete) : Promise.resolve(complete(answered));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  const chain = withMiddleware(answer, middleware);
  return (request, exchange) => run(chain, request, exchange).catch(hideError(parts, calledBy(request), exchange));
}

/** Middleware may throw instead of rejecting. */
function run(dispatch: Dispatch, request: ModernRequest, exchange: Exchange): Promise<Result> {
  try {
    return dispatch(request, exchange);
  } catch (error) {
    return Promise.reject(error);
  }
}

function hideError(parts: ServerParts, called: Called, exchange: Exchange): (error: unknown) => never {
  return (error) => {
    if (isMcpError(error)) throw error;
    const message = callerMessageOf(error);
    if (message !== undefined) throw new McpError(errorCode.internalError, message, { cause: error });
    const errorId = parts.reportError(error, called, exchange);
    throw new McpError(errorCode.internalError, "internal error", { data: { errorId }, cause: error });
  };
}

/** E-41 */
function requireLogLevel(request: ModernRequest): void {
  const level = request.params._meta[metaKey.logLevel];
  if (level !== undefined && !isLogLevel(level)) throw invalidParams(`unknown log level: ${JSON.stringify(level)}`);
}

/** Adds to a result in place; to a copy if it is frozen or has its own `_meta`. */
function withServerInfo(result: Result, resultMeta: JsonObject | undefined): Result {
  const own = result._meta;
  if (resultMeta === undefined || own === resultMeta || (own && metaKey.serverInfo in own)) return result;
  if (own !== undefined || Object.isFrozen(result)) return { ...result, _meta: { ...own, ...resultMeta } };
  result._meta = resultMeta;
  return result;
}
