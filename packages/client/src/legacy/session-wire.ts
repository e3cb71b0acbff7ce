// A wire with a session that the server may forget: Streamable HTTP of the legacy revisions.
import type { RequestId } from "@lethe/protocol";
import type { LegacyRevision } from "@lethe/protocol/revisions";
import type { MessageWire } from "../call/message-wire.ts";
import { TransportError } from "../call/transport-error.ts";

export interface SessionWire extends MessageWire {
  /** The number of the session; `reset` increments it. */
  readonly generation: number;
  /** The server gave the session an id, so it keeps state for it. */
  readonly isNamed: boolean;
  /** Sets the revision of the handshake, which every later request names. */
  agree(revision: LegacyRevision): void;
  /** Opens the GET stream after the handshake. */
  open(): void;
  /** Forgets the session, so that the next `initialize` begins another. */
  reset(): void;
  /** Called when the server is found to have forgotten the session, without a failed request. */
  onSessionLost: () => void;
  /** Called when unsolicited messages may have been missed. */
  onGap: () => void;
  /** Called when bytes arrive for a request, even if they contain no message. */
  onActivity: (id: RequestId) => void;
}

export function isSessionWire(wire: MessageWire): wire is SessionWire {
  return "reset" in wire;
}

/** The server refused a message because it has forgotten the session. It did not process the message. */
export class SessionLostError extends TransportError {
  /** The session that the message belonged to. */
  readonly generation: number;

  constructor(peer: string, generation: number) {
    super("lost", `${peer} has forgotten the session`);
    this.generation = generation;
  }
}

/**
 * Whether a legacy server refused a request because it has forgotten the session. The server did not process the request.
 *
 * @example
 * import { TransportError } from "@lethe/client";
 * import { isSessionLost } from "@lethe/client/edge";
 *
 * console.log(isSessionLost(new TransportError("lost", "the connection broke"))); // false
 */
export function isSessionLost(value: unknown): value is SessionLostError {
  return value instanceof SessionLostError;
}
