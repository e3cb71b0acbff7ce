// Session ids that are the session (D-33): revision, client and capabilities, sealed and bound to the caller. Any process
// with the keys serves the session; a restart or a rolling deployment does not end it.
import {
  type ClientCapabilities,
  type Implementation,
  isJsonObject,
  type JsonObject,
  parseImplementation,
  tasksExtension,
} from "@lethe/protocol";
import { isLegacyRevision, type Revision, revisionNamed } from "@lethe/protocol/revisions";
import type { Binding, Seal } from "../../seal/seal.ts";

/** What never changes in a session. */
export interface SessionFacts {
  readonly id: string;
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  /** No session at all: nothing outlives the request. */
  readonly isStateless?: boolean;
}

/** For what this edge asks the core on its client's behalf: the tasks of today (D-38). */
export function withTasks<F extends Pick<SessionFacts, "capabilities">>(facts: F): F {
  const { capabilities } = facts;
  return {
    ...facts,
    capabilities: { ...capabilities, extensions: { ...capabilities.extensions, [tasksExtension]: {} } },
  };
}

export interface SessionTokens {
  /**
   * Returns a session id of fewer than 4,096 characters between 0x21 and 0x7E. Rejects with RangeError for facts that were
   * not shortened (`shortCapabilities`, `shortInfo`).
   */
  mint(facts: SessionFacts, callerId: string | undefined): Promise<string>;
  /** Undefined for a token that is no session of this caller, for whatever reason. */
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
