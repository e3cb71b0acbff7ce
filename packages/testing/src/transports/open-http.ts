// Connects over HTTP: with a socket, or by calling the fetch handler of the server in memory.
import { type Connection, createFetchSend, type HttpSend } from "@lethe/client";
import { connectHttp, connectHttpSse, connectStreamableHttp } from "@lethe/client/edge";
import type { Authenticator } from "@lethe/server/auth";
import { createFetchHandler, createLegacyEdge, type Servable } from "@lethe/server/edge";
import { createKeyRing } from "@lethe/server/stores";
import { tapSend } from "../wire/tap.ts";
import { type ConnectionRequest, modern, type OpenedConnection } from "./connection-request.ts";
import type { TestServer } from "./test-target.ts";

/** Serves on a free port of 127.0.0.1. The server itself stays open. */
export async function openHttp(server: TestServer, request: ConnectionRequest): Promise<OpenedConnection> {
  const [{ serve }, { createNodeSend }] = await Promise.all([
    import("@lethe/server/node"),
    import("@lethe/client/node"),
  ]);
  const serving = await serve(toServable(server, request), { port: 0 });
  const { send, close } = createNodeSend();
  const release = async (): Promise<void> => {
    close();
    // The client has left, so no response is worth a wait.
    await serving.close({ graceMs: 0 });
  };
  const path = request.transport === "http-sse" ? (server.legacy?.paths[0] ?? "/sse") : "/mcp";
  try {
    return { connection: await connectBy(send, new URL(path, serving.url), request), release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Calls the fetch handler: the messages of Streamable HTTP without a socket. */
export async function openFetch(server: TestServer, request: ConnectionRequest): Promise<OpenedConnection> {
  const answer = createFetchHandler(toServable(server, request));
  const send = createFetchSend((url, init) => answer(new Request(url, init)));
  const connection = await connectBy(send, new URL("http://localhost/mcp"), request);
  return { connection, release: async () => {} };
}

function connectBy(send: HttpSend, url: URL, request: ConnectionRequest): Promise<Connection> {
  const { revision, transport, clientInfo, capabilities, timeoutMs, log } = request;
  const target = { url, send: tapSend(send, log) };
  const shared = { clientInfo, capabilities, timeoutMs };
  if (revision === modern) return connectHttp(target, { ...shared, era: "modern" });
  const options = { ...shared, offeredRevision: revision };
  return transport === "http-sse" ? connectHttpSse(target, options) : connectStreamableHttp(target, options);
}

/** The server without its `close`, so that the end of one connection does not close it. */
function toServable(server: TestServer, { caller, transport }: ConnectionRequest): Servable {
  const { dispatch, info = { name: "server", version: "0" }, authenticator } = server;
  if (authenticator && !caller) {
    throw new Error(`the server authenticates its callers over HTTP: pass { caller: { id: "ann", scopes: [] } }`);
  }
  const legacy =
    transport === "http" && server.legacy
      ? createLegacyEdge({ dispatch, info, ring: createKeyRing() }, { sessions: "none" })
      : server.legacy;
  return { dispatch, info, legacy, ...(caller && { authenticator: createFixedAuthenticator(caller) }) };
}

/** Every request comes from `caller`. Its headers do not matter. */
function createFixedAuthenticator(caller: NonNullable<ConnectionRequest["caller"]>): Authenticator {
  return {
    authenticate: async () => caller,
    challenge: ({ error }) => (error === undefined ? "Bearer" : `Bearer error="${error}"`),
    metadata: undefined,
    metadataPaths: [],
  };
}
