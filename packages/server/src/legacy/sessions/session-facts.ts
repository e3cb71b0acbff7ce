// The facts of a legacy session: what its client said in `initialize`, and the revision that was chosen. They never change.
import { type ClientCapabilities, type Implementation, tasksExtension } from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";

export interface SessionFacts {
  readonly id: string;
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  /** There is no session: nothing outlives the request. */
  readonly isStateless?: boolean;
}

/** Adds the tasks extension, for requests that this edge sends to the core on behalf of the client. */
export function withTasks<F extends Pick<SessionFacts, "capabilities">>(facts: F): F {
  const { capabilities } = facts;
  return {
    ...facts,
    capabilities: { ...capabilities, extensions: { ...capabilities.extensions, [tasksExtension]: {} } },
  };
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/** An id for a session, a stream or an input request: 16 random characters (96 bits), which no client can guess. */
export function randomId(): string {
  let id = "";
  for (const byte of globalThis.crypto.getRandomValues(new Uint8Array(16))) id += alphabet[byte & 63];
  return id;
}
