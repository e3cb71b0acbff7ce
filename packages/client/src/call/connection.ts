// What every room of the client agrees on: a connection to one server, whatever revision and transport it speaks.
import type { DiscoverResult, Dispatch, Era } from "@lethe/protocol";

export interface ConnectionEnd {
  /** Lower case, for logs and error messages: "closed by the client", "the process exited with code 1". */
  readonly reason: string;
}

export interface Connection {
  /**
   * The core contract, whatever the peer speaks. Rejects with McpError for what the server answered and with
   * TransportError for everything below. The id of a request need only be unique among its sender's open requests:
   * a connection may use another one on the wire.
   */
  readonly dispatch: Dispatch;
  readonly era: Era;
  readonly revision: string;
  /**
   * True when the peer keeps something for this connection alone: a process, a session id, an event stream. What one
   * caller began there is not to be found on another connection, and not to be shown to another caller.
   */
  readonly isStateful?: boolean;
  /**
   * True while calls of an older peer that may ask their users are in progress or wait for their turn: it does not show
   * which call asks, so that further calls may have to wait.
   */
  readonly isAsking?: boolean;
  /** What the server says it is; made from its InitializeResult when the peer is a legacy one. */
  readonly server: DiscoverResult;
  /** Resolves once, when the connection has ended, for whatever reason. Never rejects. */
  readonly closed: Promise<ConnectionEnd>;
  /** Ends what is open and gives back sockets and processes. A second call does nothing. */
  close(): Promise<void>;
}
