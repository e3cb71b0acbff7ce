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
import { codecOf, isLegacyRevision, type RevisionCodec } from "@lethe/protocol/legacy";
import type { Binding, Seal } from "../seal/seal.ts";

/** What never changes in a session. */
export interface SessionFacts {
  readonly id: string;
  readonly codec: RevisionCodec;
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
  /** Only characters that a session id may have (0x21 to 0x7E). */
  mint(facts: SessionFacts, callerId: string | undefined): Promise<string>;
  /** Undefined for a token that is no session of this caller, for whatever reason. */
  open(token: string, callerId: string | undefined): Promise<SessionFacts | undefined>;
}

/** A session id is a header of every request, and servers refuse large headers. */
const maxCapabilitiesLength = 2048;
const maxNameLength = 256;

export function createSessionTokens(seal: Seal): SessionTokens {
  return {
    mint(facts, callerId) {
      const { id, codec, clientInfo } = facts;
      const payload: JsonObject = { id, revision: codec.revision, capabilities: toShort(facts.capabilities) };
      if (clientInfo) payload.clientInfo = toShortInfo(clientInfo);
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

function toFacts({ id, revision, capabilities, clientInfo }: JsonObject): SessionFacts | undefined {
  if (typeof id !== "string" || !isLegacyRevision(revision) || !isJsonObject(capabilities)) return undefined;
  return { id, codec: codecOf(revision), capabilities, clientInfo: parseImplementation(clientInfo) };
}

/** What is too long keeps the capabilities that the core knows. */
function toShort(capabilities: ClientCapabilities): ClientCapabilities {
  if (JSON.stringify(capabilities).length <= maxCapabilitiesLength) return capabilities;
  const { elicitation, sampling, roots } = capabilities;
  const short: ClientCapabilities = {};
  if (elicitation) {
    short.elicitation = { ...(elicitation.form && { form: {} }), ...(elicitation.url && { url: {} }) };
  }
  if (sampling) short.sampling = { ...(sampling.tools && { tools: {} }), ...(sampling.context && { context: {} }) };
  if (roots) short.roots = {};
  return short;
}

/** For display and logs: without icons, which may be whole images. */
function toShortInfo({ name, version, title }: Implementation): Implementation {
  const info = { name: name.slice(0, maxNameLength), version: version.slice(0, maxNameLength) };
  return title === undefined ? info : { ...info, title: title.slice(0, maxNameLength) };
}
