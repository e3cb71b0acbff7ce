// A connection to one server, of any revision and transport: the contract that all modules of the client share.
import type { DiscoverResult, Dispatch, Era } from "@lethe/protocol";
import type { RevisionTraits } from "@lethe/protocol/revisions";
import type { PendingCalls } from "./pending-calls.ts";

/** Why a connection ended. */
export interface ConnectionEnd {
  /** Lower case, for logs and error messages: "closed by the client", "the process exited with code 1". */
  readonly reason: string;
}

/** An open connection to one server, of any revision and transport. */
export interface Connection {
  /**
   * Sends a request, in the modern model, to a peer of any revision. Rejects with McpError for an error of the server
   * and with TransportError for every other failure. A request id must be unique among the sender's open requests; the
   * connection may use another id on the wire.
   */
  readonly dispatch: Dispatch;
  /** "modern" for revision 2026-07-28, "legacy" for the revisions that begin with `initialize`. */
  readonly era: Era;
  /** The revision that the peer speaks, for example "2025-11-25". */
  readonly revision: string;
  /** The traits of that revision. */
  readonly traits: RevisionTraits;
  /**
   * True if the peer keeps state for this connection: a process, a session id or an event stream. State that a caller
   * created there exists only on this connection and must not be visible to other callers.
   */
  readonly isStateful?: boolean;
  /**
   * How many sessions the peer has forgotten since the connection was opened, for example because it restarted. Each time, the
   * state that callers had created there is gone, and the next request begins a new session. Absent where sessions cannot be
   * forgotten without the end of the connection.
   */
  readonly lostSessions?: number;
  /**
   * True while calls of an older peer that may ask their users are running or waiting for their turn. Such a peer does
   * not show which call asks, so further calls may have to wait.
   */
  readonly isAsking?: boolean;
  /**
   * The calls of a legacy server that wait for an answer of their caller. Absent for a modern server, which keeps no call
   * open. Several connections may share one registry.
   */
  readonly pendingCalls?: PendingCalls;
  /** The server's description. For a legacy peer it is derived from its InitializeResult. */
  readonly server: DiscoverResult;
  /** Resolves once, when the connection has ended for any reason. Never rejects. */
  readonly closed: Promise<ConnectionEnd>;
  /** Closes the connection: cancels open requests and releases sockets and processes. Idempotent. */
  close(): Promise<void>;
}
