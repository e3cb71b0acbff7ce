// Connects the same client over each transport and protocol era.
import { type Client, type ClientOptions, connect as connectModern } from "@lethe/client";
import { connectHttpSse, connectStreamableHttp, createClient } from "@lethe/client/edge";
import { connectStdio, createNodeSend } from "@lethe/client/node";
import type { Era, HttpTransportName } from "@lethe/protocol";
import type { Command } from "../record/record-stdio.ts";
import { clientCapabilities, clientRoots, createInputHandlers } from "../script/client-handlers.ts";

interface TransportBase {
  /** Identifies the transport in reports and file names. */
  readonly id: string;
  readonly title: string;
  /** The title without a revision, if the revision is known only after the server has answered. */
  readonly name?: string;
  readonly era: Era;
}

export interface HttpTransport extends TransportBase {
  readonly kind: HttpTransportName;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StdioTransport extends TransportBase {
  readonly kind: "stdio";
  readonly target: Command;
  /** The name of the command line in reports. Default: the command line itself. */
  readonly endpoint?: string;
}

export type Transport = HttpTransport | StdioTransport;

export interface ConnectTransportOptions {
  /** Time to connect over HTTP, in ms. */
  connectTimeoutMs: number;
  /** Time for a started command to answer its first request, in ms. */
  startTimeoutMs: number;
  onWarning(message: string): void;
  /** Makes as few requests as the protocol allows: no GET stream without a session. Default false. */
  isMinimal?: boolean;
  /** Aborts the attempt to connect. */
  signal?: AbortSignal | undefined;
}

const clientInfo = { name: "lethe-compare", version: "0.1.0" };
const shared = { capabilities: clientCapabilities, roots: clientRoots };

export async function connectHttpTransport(
  { url, headers = {}, era, kind }: HttpTransport,
  { connectTimeoutMs, onWarning, isMinimal = false, signal }: ConnectTransportOptions,
): Promise<Client> {
  const node = createNodeSend();
  const target = { url: new URL(url), send: node.send };
  const options = { ...shared, headers: { ...headers }, connectTimeoutMs, onWarning, ...(signal && { signal }) };
  const streams = isMinimal ? ({ getStream: "in-session" } as const) : {};
  try {
    const client =
      era === "modern"
        ? await connectModern(url, {
            ...options,
            ...createInputHandlers(),
            info: clientInfo,
            send: node.send,
            legacy: false,
          })
        : createClient(
            await legacyConnectors[kind](target, { ...options, ...streams, clientInfo }),
            url,
            toClientOptions(onWarning),
          );
    void client.connection.closed.then(node.close);
    return client;
  } catch (error) {
    node.close();
    throw error;
  }
}

function toClientOptions(onWarning: (message: string) => void): ClientOptions {
  return { ...createInputHandlers(), info: clientInfo, capabilities: clientCapabilities, onWarning };
}

const legacyConnectors = { "streamable-http": connectStreamableHttp, "http-sse": connectHttpSse };

/** `command` starts the server, or the recorder that wraps it. */
export async function connectStdioTransport(
  command: Command,
  era: Era,
  { startTimeoutMs, onWarning, signal }: ConnectTransportOptions,
): Promise<Client> {
  const connection = await connectStdio(command, {
    ...shared,
    clientInfo,
    startTimeoutMs,
    era,
    ...(signal && { signal }),
  });
  return createClient(connection, command.command, toClientOptions(onWarning));
}
