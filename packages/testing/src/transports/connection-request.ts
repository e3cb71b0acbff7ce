// What a transport needs to open a connection for a test client, and what it returns.
import type { Connection } from "@lethe/client";
import type { Caller, ClientCapabilities, Implementation } from "@lethe/protocol";
import type { WireLog } from "../wire/wire-log.ts";
import type { TestRevision, TestTransport } from "./test-target.ts";

export interface ConnectionRequest {
  readonly revision: TestRevision;
  readonly transport: TestTransport;
  readonly caller: Caller | undefined;
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Time limit of a request without activity, in ms. */
  readonly timeoutMs: number;
  /** Receives the messages of the connection. */
  readonly log: WireLog;
}

export interface OpenedConnection {
  readonly connection: Connection;
  /** Stops what was started for the connection. Called after the connection was closed. */
  release(): Promise<void>;
}

/** The revision whose requests need no handshake. */
export const modern = "2026-07-28";
