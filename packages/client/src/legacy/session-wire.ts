// A wire that carries a session which the server may forget (D-33): streamable HTTP of the legacy revisions.
import type { RequestId } from "@lethe/protocol";
import type { LegacyRevision } from "@lethe/protocol/revisions";
import type { MessageWire } from "../call/message-wire.ts";
import { TransportError } from "../call/transport-error.ts";

export interface SessionWire extends MessageWire {
  /** Which session this is; `reset` makes it another. */
  readonly generation: number;
  /** The server gave the session an id: it keeps something for it (D-33). */
  readonly isNamed: boolean;
  /** What the handshake agreed on; it is named in every request from now on (D-37). */
  agree(revision: LegacyRevision): void;
  /** After the handshake: begins to hear what belongs to no request (D-34). */
  open(): void;
  /** Forgets the session, so that the next `initialize` begins another. */
  reset(): void;
  /** The server has forgotten the session; no request was needed to find out. */
  onSessionLost: () => void;
  /** Something unsolicited may have been missed. */
  onGap: () => void;
  /** Something came for our request, if only a sign of life. */
  onActivity: (id: RequestId) => void;
}

export function isSessionWire(wire: MessageWire): wire is SessionWire {
  return "reset" in wire;
}

/** The server refused a message because it has forgotten the session: it did nothing with it. */
export class SessionLostError extends TransportError {
  /** The session that the message belonged to. */
  readonly generation: number;

  constructor(peer: string, generation: number) {
    super("lost", `${peer} has forgotten the session`);
    this.generation = generation;
  }
}
