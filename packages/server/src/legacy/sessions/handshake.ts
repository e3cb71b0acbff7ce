// Answers `initialize` (D-20): chooses the revision and creates the facts of the session.
import { type Exchange, isJsonObject, type JsonObject, type JsonRpcRequest } from "@lethe/protocol";
import { chooseRevision, parseInitializeParams, revisionNamed, toInitializeResult } from "@lethe/protocol/revisions";
import type { LegacyContext, Peer } from "../shared/legacy-context.ts";
import { discover } from "./discover.ts";
import type { SessionFacts } from "./session-facts.ts";
import { randomId } from "./session-facts.ts";
import { shortenCapabilities, shortenClientInfo } from "./shorten-client.ts";

export interface Handshake {
  readonly facts: SessionFacts;
  readonly result: JsonObject;
}

/** Rejects with McpError. */
export async function performHandshake(
  request: JsonRpcRequest,
  peer: Peer,
  context: LegacyContext,
  isStateless: boolean,
): Promise<Handshake> {
  const offer = parseInitializeParams(request.params);
  const revision = revisionNamed(chooseRevision(offer.protocolVersion, context.settings.revisions));
  const facts: SessionFacts = {
    id: randomId(),
    revision,
    capabilities: shortenCapabilities(revision.readClientCapabilities(offer.capabilities)),
    clientInfo: offer.clientInfo && shortenClientInfo(offer.clientInfo),
    isStateless,
  };
  const discovered = await discover(facts, toQuietExchange(peer), context);
  const result = toInitializeResult(revision, discovered, context.info);
  return { facts, result: isStateless ? withoutTaskList(result) : result };
}

/** Without a session, the server does not know which tasks the client started. */
function withoutTaskList(result: JsonObject): JsonObject {
  const { tasks, ...capabilities } = result.capabilities as JsonObject;
  if (!isJsonObject(tasks)) return result;
  const { list: _, ...others } = tasks;
  return { ...result, capabilities: { ...capabilities, tasks: others } };
}

/** `initialize` cannot be cancelled, and no message precedes its result. */
function toQuietExchange({ caller, isAnonymous }: Peer): Exchange {
  return {
    caller,
    isAnonymous,
    get signal() {
      return new AbortController().signal;
    },
    onAbort() {},
    notify: () => true,
    drained: () => Promise.resolve(),
  };
}
