// Recoverable errors: the client repairs the cause and repeats the request, once per cause and request (J-24).
import {
  errorCode,
  fromDraftError,
  isMcpError,
  isRepeatable,
  isRetry,
  type JsonObject,
  type ModernRequest,
  metaKey,
  method,
  protocolVersionOf,
  type RequestMeta,
  type Result,
} from "@lethe/protocol";
import { isLaterRevision } from "@lethe/protocol/revisions";
import { isTransportError } from "../call/transport-error.ts";
import { offeredVersionsOf, selectModern } from "../era/select-revision.ts";

type Send = (request: ModernRequest) => Promise<Result>;
type Awaitable<T> = T | Promise<T>;
type Remedy = (error: unknown, request: ModernRequest, send: Send) => Awaitable<ModernRequest | undefined>;

const remedies: readonly Remedy[] = [relistTools, selectOffered, sendAgain];

/** Pages of tools/list to read in search of a tool. */
const maxPages = 100;

/**
 * The result of the repeated request. Throws the error if it is not recoverable. A request of a later revision than ours is never
 * repeated: another revision may give its message another meaning.
 */
export async function recover(error: unknown, request: ModernRequest, send: Send): Promise<Result> {
  if (isLaterRevision(protocolVersionOf(request))) throw error;
  let current = request;
  let thrown = error;
  for (const remedy of remedies) {
    const mended = await remedy(thrown, current, send);
    if (!mended) continue;
    try {
      return await send(mended);
    } catch (again) {
      current = mended;
      thrown = again;
    }
  }
  throw thrown;
}

// B-75, I-3: the server rejected the headers of a tool's arguments, so the tool's schema has changed.
async function relistTools(error: unknown, request: ModernRequest, send: Send): Promise<ModernRequest | undefined> {
  if (request.method !== method.callTool || !isMcpError(error)) return;
  if (fromDraftError(error).code !== errorCode.headerMismatch) return;
  const { progressToken: _, [metaKey.logLevel]: __, ...meta } = request.params._meta;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? { _meta: meta } : { _meta: meta, cursor };
    const { nextCursor } = await send({ id: request.id, method: method.listTools, params: params as never });
    if (typeof nextCursor !== "string") break;
    cursor = nextCursor;
  }
  return request;
}

// J-22: also if the server offers the very version that it just rejected.
function selectOffered(error: unknown, request: ModernRequest): ModernRequest | undefined {
  const offered = offeredVersionsOf(error);
  const revision = offered && selectModern(offered);
  if (revision === undefined) return undefined;
  const meta: RequestMeta = { ...request.params._meta, [metaKey.protocolVersion]: revision };
  return { ...request, params: { ...request.params, _meta: meta } };
}

// B-73: a request without side effects may be repeated if its response was lost.
function sendAgain(error: unknown, request: ModernRequest): ModernRequest | undefined {
  if (!isTransportError(error) || error.reason !== "lost") return undefined;
  return isRepeatable(request.method) && !isRetry(request.params as JsonObject) ? request : undefined;
}
