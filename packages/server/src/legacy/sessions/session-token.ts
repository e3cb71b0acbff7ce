// Session ids that contain the session (D-33): revision, client and capabilities, sealed and bound to the caller. Any process
// with the keys serves the session, so a restart or a rolling deployment does not end it.
import { isJsonObject, type JsonObject, parseImplementation } from "@lethe/protocol";
import { isLegacyRevision, revisionNamed } from "@lethe/protocol/revisions";
import type { Binding, Seal } from "../../seal/seal.ts";
import type { SessionFacts } from "./session-facts.ts";

export interface SessionTokens {
  /**
   * Resolves with a session id of fewer than 4,096 characters between 0x21 and 0x7E. Rejects with RangeError for facts that
   * were not shortened (`shortenCapabilities`, `shortenClientInfo`).
   */
  mint(facts: SessionFacts, callerId: string | undefined): Promise<string>;
  /** Resolves with undefined if the token is not a valid session of this caller. */
  open(token: string, callerId: string | undefined): Promise<SessionFacts | undefined>;
}

export function createSessionTokens(seal: Seal): SessionTokens {
  return {
    mint(facts, callerId) {
      const { id, revision, capabilities, clientInfo } = facts;
      const payload: JsonObject = { id, revision: revision.name, capabilities };
      if (clientInfo) payload.clientInfo = clientInfo;
      return seal.seal(payload, toBinding(callerId));
    },
    async open(token, callerId) {
      try {
        return toFacts(await seal.open(token, toBinding(callerId)));
      } catch {
        return undefined;
      }
    },
  };
}

function toBinding(callerId: string | undefined): Binding {
  return { callerId, method: "initialize", target: "session", arguments: "" };
}

function toFacts({ id, revision: name, capabilities, clientInfo }: JsonObject): SessionFacts | undefined {
  if (typeof id !== "string" || !isLegacyRevision(name) || !isJsonObject(capabilities)) return undefined;
  return { id, revision: revisionNamed(name), capabilities, clientInfo: parseImplementation(clientInfo) };
}
