// The ways to reach a server, and how to take each: the same client, told which revision and which transport to speak.
import {
  type Client,
  type ClientOptions,
  connectHttpSse,
  connect as connectModern,
  connectStreamableHttp,
  createClient,
} from "@lethe/client";
import { connectStdio, createNodeSend } from "@lethe/client/node";
import type { Era } from "@lethe/protocol";
import type { Command } from "../record/record-stdio.ts";
import { createHost, hostCapabilities, hostRoots } from "../script/play-host.ts";

export type HttpTransport = "streamable-http" | "http-sse";

interface WayBase {
  /** Names the way in reports and files. */
  readonly id: string;
  readonly title: string;
  /** The title without its revision, where that is known only when the server has named it. */
  readonly name?: string;
  readonly era: Era;
}

export interface HttpWay extends WayBase {
  readonly kind: "http";
  readonly transport: HttpTransport;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StdioWay extends WayBase {
  readonly kind: "stdio";
  readonly target: Command;
  /** What reports call the command line. Default: as it is. */
  readonly endpoint?: string;
}

export type Way = HttpWay | StdioWay;

export interface ConnectWayOptions {
  /** What finding out about the server may take. */
  connectTimeoutMs: number;
  /** How long a started command has for its first answer, in ms. */
  startTimeoutMs: number;
  onWarning(message: string): void;
  /** As few requests as the protocol allows: no GET stream without a session. Default false. */
  isMinimal?: boolean;
  /** Ends the connecting. */
  signal?: AbortSignal | undefined;
}

const clientInfo = { name: "lethe-compare", version: "0.1.0" };
const shared = { clientInfo, capabilities: hostCapabilities, roots: hostRoots };

export async function connectHttpWay(
  { url, headers = {}, era, transport }: HttpWay,
  { connectTimeoutMs, onWarning, isMinimal = false, signal }: ConnectWayOptions,
): Promise<Client> {
  const node = createNodeSend();
  const target = { url: new URL(url), send: node.send };
  const options = { ...shared, headers: { ...headers }, connectTimeoutMs, onWarning, ...(signal && { signal }) };
  const streams = isMinimal ? ({ getStream: "in-session" } as const) : {};
  try {
    const client =
      era === "modern"
        ? await connectModern(url, { ...options, ...createHost(), info: clientInfo, send: node.send, legacy: false })
        : createClient(
            await legacyConnectors[transport](target, { ...options, ...streams }),
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
  return { ...createHost(), info: clientInfo, capabilities: hostCapabilities, onWarning };
}

const legacyConnectors = { "streamable-http": connectStreamableHttp, "http-sse": connectHttpSse };

/** `command` starts the server, or our recorder around it. */
export async function connectStdioWay(
  command: Command,
  era: Era,
  { startTimeoutMs, onWarning, signal }: ConnectWayOptions,
): Promise<Client> {
  const connection = await connectStdio(command, {
    ...shared,
    startTimeoutMs,
    era,
    ...(signal && { signal }),
  });
  return createClient(connection, command.command, toClientOptions(onWarning));
}
