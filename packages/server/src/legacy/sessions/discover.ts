// Calls server/discover for the client of a session. A legacy client asks for capabilities once, in `initialize`.
import { type DiscoverResult, type Exchange, errorCode, isDiscoverResult, McpError, method } from "@lethe/protocol";
import type { LegacyContext } from "../shared/legacy-context.ts";
import type { SessionFacts } from "./session-facts.ts";

type Client = Pick<SessionFacts, "revision" | "capabilities" | "clientInfo" | "isStateless">;

/** Rejects with McpError. */
export async function discover(
  { revision, capabilities, clientInfo, isStateless }: Client,
  exchange: Exchange,
  { dispatch }: LegacyContext,
): Promise<DiscoverResult> {
  const params = revision.fromClientParams(method.discover, undefined, { capabilities, clientInfo });
  const result = await dispatch({ id: "discover", method: method.discover, params }, exchange);
  if (!isDiscoverResult(result))
    throw new McpError(errorCode.internalError, "server/discover returned no capabilities");
  return isStateless ? withoutSession(result) : result;
}

/** Removes the capabilities that need a session. */
function withoutSession(result: DiscoverResult): DiscoverResult {
  const { logging: _, ...capabilities } = result.capabilities;
  for (const name of ["tools", "prompts", "resources"] as const) {
    if (capabilities[name]) capabilities[name] = {};
  }
  return { ...result, capabilities };
}
