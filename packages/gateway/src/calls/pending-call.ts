// A pending call as the gateway keeps it. The registry of pending calls is that of the client connections; a retry of the
// caller and an update of its task are two ways back to the same entry.
import type { PendingCallHolder, PendingCalls } from "@lethe/client/edge";
import type { Session } from "../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";

/** Keeps the session of a pending call open, and tells operators which call it is. */
export class SessionHold implements PendingCallHolder {
  readonly sessions: UpstreamSessions;
  readonly session: Session;
  /** The tool, prompt or resource, as the caller named it. */
  readonly name: string;

  constructor(sessions: UpstreamSessions, session: Session, name: string) {
    this.sessions = sessions;
    this.session = session;
    this.name = name;
    sessions.enter(session);
  }

  release(): void {
    this.sessions.leave(this.session);
  }
}

/** One registry for the connections to all upstreams. */
export type GatewayPendingCalls = PendingCalls<SessionHold>;

/** Where a retry finds its pending call. */
export interface PendingCallReference {
  /** The replica of the gateway that owns the connection. */
  readonly replica: string;
  /** The id of the session. */
  readonly session: string;
  /** The id of the call in the registry of that replica. */
  readonly id: string;
}
