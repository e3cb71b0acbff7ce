// Fake connections, callers and requests for tests, in which the test decides what the upstream does.
import type { Connection } from "@lethe/client";
import {
  type Dispatch,
  type Exchange,
  type JsonObject,
  type JsonRpcNotification,
  type ModernRequest,
  metaKey,
  modelRevision,
  type Result,
} from "@lethe/protocol";
import { newestLegacyRevision, revisionNamed } from "@lethe/protocol/revisions";
import { createLocalDirectory } from "@lethe/server/stores";
import type { UpstreamPolicy } from "../config/schema/settings.ts";
import type { UpstreamConfig } from "../config/upstream-config.ts";
import { LostSessions } from "../upstreams/sessions/lost-sessions.ts";
import { UpstreamSessions, type UpstreamSessionsOptions } from "../upstreams/sessions/upstream-sessions.ts";

export interface FakeConnection extends Omit<Connection, "dispatch" | "isAsking"> {
  dispatch: Dispatch;
  isAsking?: boolean;
  isClosed: boolean;
  /** Ends the connection from the upstream's side. */
  end(reason: string): void;
}

export interface FakeConnectionOptions extends Partial<Pick<Connection, "era" | "isStateful" | "pendingCalls">> {
  dispatch?: Dispatch;
}

export const done: Result = { resultType: "complete", content: [{ type: "text", text: "done" }] };

/** By default a process of an older revision. */
export function createFakeConnection(options: FakeConnectionOptions = {}): FakeConnection {
  const { era = "legacy", isStateful = era === "legacy", dispatch = async () => done } = options;
  let end: (reason: string) => void = () => {};
  const closed = new Promise<{ reason: string }>((resolve) => {
    end = (reason) => resolve({ reason });
  });
  const { name: revision, traits } = revisionNamed(era === "legacy" ? newestLegacyRevision : modelRevision);
  const connection: FakeConnection = {
    dispatch,
    ...(options.pendingCalls && { pendingCalls: options.pendingCalls }),
    era,
    revision,
    traits,
    isStateful,
    server: {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: {},
      ttlMs: 0,
      cacheScope: "private",
    },
    closed,
    isClosed: false,
    end,
    async close() {
      connection.isClosed = true;
      end("closed by the client");
    },
  };
  return connection;
}

export const everyCapability: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export interface RequestOptions {
  capabilities?: JsonObject;
  meta?: JsonObject;
}

export function requestOf(method: string, params: JsonObject = {}, options: RequestOptions = {}): ModernRequest {
  const _meta = {
    [metaKey.protocolVersion]: "2026-07-28",
    [metaKey.clientCapabilities]: options.capabilities ?? everyCapability,
    ...options.meta,
  };
  return { id: "caller-1", method, params: { ...params, _meta } as ModernRequest["params"] };
}

export interface FakeExchange extends Exchange {
  readonly notes: JsonRpcNotification[];
  leave(): void;
}

export function createFakeExchange(callerId?: string): FakeExchange {
  const controller = new AbortController();
  const notes: JsonRpcNotification[] = [];
  return {
    notes,
    signal: controller.signal,
    caller: callerId === undefined ? undefined : { id: callerId },
    notify: (notification) => notes.push(notification) > 0,
    drained: async () => {},
    leave: () => controller.abort(),
  };
}

export interface FakeUpstream extends Partial<Omit<UpstreamSessionsOptions, "config">>, UpstreamPolicy {
  name?: string;
  kind?: "stdio" | "http";
}

/** Sessions whose connections are all fake, and kept in the order they were opened. */
export function createFakeSessions(upstream: FakeUpstream = {}, make = createFakeConnection) {
  const {
    name = "up",
    kind = "stdio",
    directory = createLocalDirectory(),
    path,
    connect,
    onEvent,
    onSessionEnd,
    isKeyOfSuccessor,
    legacyEra,
    newerEra,
    probe,
    probeTimeoutMs,
    probeAgainMs,
    transport,
    circuitBreaker,
    facts,
    startTimeoutMs,
    lost = new LostSessions({ directory }),
    rooms,
    ...policy
  } = upstream;
  const opened: FakeConnection[] = [];
  const config: UpstreamConfig =
    kind === "stdio"
      ? { kind, name, command: "none", args: [], env: {}, ...policy }
      : { kind, name, url: "http://127.0.0.1:9/mcp", headers: {}, ...policy };
  const sessions = new UpstreamSessions({
    ...{ config, directory, lost, rooms },
    connect:
      connect ??
      (async () => {
        const connection = make();
        opened.push(connection);
        return connection;
      }),
    ...(path !== undefined && { path }),
    ...(onEvent && { onEvent }),
    ...(onSessionEnd && { onSessionEnd }),
    ...(isKeyOfSuccessor && { isKeyOfSuccessor }),
    ...(legacyEra && { legacyEra }),
    ...(newerEra && { newerEra }),
    ...(probe && { probe }),
    ...(transport && { transport }),
    probeTimeoutMs,
    probeAgainMs,
    ...(circuitBreaker && { circuitBreaker }),
    facts,
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
  });
  return { sessions, opened };
}
