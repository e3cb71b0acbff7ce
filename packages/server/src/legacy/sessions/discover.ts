// What the core offers to the client of a session: a legacy client asks once, in `initialize`.
import { type DiscoverResult, type Exchange, errorCode, isDiscoverResult, McpError, method } from "@lethe/protocol";
import type { LegacyContext } from "../shared/legacy-context.ts";
import type { SessionFacts } from "./session-facts.ts";

type Client = Pick<SessionFacts, "revision" | "capabilities" | "clientInfo" | "isStateless">;

export async function discover(
  { revision, capabilities, clientInfo, isStateless }: Client,
  exchange: Exchange,
  { dispatch }: LegacyContext,
): Promise<DiscoverResult> {
  const params = revision.fromClientParams(method.discover, undefined, { capabilities, clientInfo });
  const result = await dispatch({ id: "discover", method: method.discover, params }, exchange);
  if (!isDiscoverResult(result)) throw new McpError(errorCode.internalError, "the server did not say what it offers");
  return isStateless ? withoutSession(result) : result;
}

/** What takes a session is not offered without one. */
function withoutSession(result: DiscoverResult): DiscoverResult {
  const { logging: _, ...capabilities } = result.capabilities;
  for (const name of ["tools", "prompts", "resources"] as const) {
    if (capabilities[name]) capabilities[name] = {};
  }
  return { ...result, capabilities };
}
