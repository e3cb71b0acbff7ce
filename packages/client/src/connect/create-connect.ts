// The front door: a client for a URL, a command, or a server in the same process.
import type { DiscoverResult, Dispatch, Era, Root } from "@lethe/protocol";
import type { Authorizer } from "../auth/authorizer.ts";
import type { Connection } from "../call/connection.ts";
import type { VerdictMemory } from "../era/verdict-memory.ts";
import { nameOfEndpoint, parseEndpoint } from "../http/endpoint.ts";
import type { HttpOptions } from "../http/http-options.ts";
import type { HttpSend } from "../http/http-send.ts";
import { withAuthorization } from "../http/with-authorization.ts";
import type { MemoryOptions } from "../memory/memory-dispatch.ts";
import { Client } from "./client.ts";
import type { ClientOptions } from "./client-options.ts";
import { createParts, declaredCapabilities, toClientInfo } from "./client-parts.ts";
import { type ConnectHttpOptions, connectHttp, type LegacyConnectors } from "./connect-http.ts";
import { connectMemory } from "./connect-memory.ts";
import { createClient } from "./create-client.ts";

/** A program that speaks MCP over its standard input and output. */
export interface CommandTarget {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server in this process: what `createServer` of @lethe/server makes is one. */
export interface ServerTarget {
  readonly dispatch: Dispatch;
  readonly info?: { readonly name: string };
}

export type ConnectTarget = string | URL | CommandTarget | ServerTarget;

export interface ConnectOptions
  extends ClientOptions,
    HttpOptions,
    Pick<MemoryOptions, "caller">,
    Pick<ConnectHttpOptions, "pingIntervalMs" | "pingTimeoutMs"> {
  /** A result of discover that is still believed: connecting over HTTP then needs no request. */
  knownServer?: DiscoverResult;
  /** What earlier connections found out about eras. Default: nothing is remembered. */
  verdicts?: VerdictMemory;
  /** Which era to use: "auto" asks the server, "modern" and "legacy" take that one only. Default "auto". */
  era?: Era | "auto";
  /** False is the same as `era: "modern"`: it refuses servers of revisions before 2026-07-28. */
  legacy?: boolean;
  /** What finding out about a server over HTTP may take, in milliseconds. Default 30,000. */
  connectTimeoutMs?: number;
  /** How long a command may take to its first answer, in milliseconds. Default `connectTimeoutMs`, else 60,000. */
  startTimeoutMs?: number;
  /** Ends the connecting; a client that is there already is not concerned. */
  signal?: AbortSignal;
  /** In place of what carries HTTP requests on this platform. */
  send?: HttpSend;
  /** Hears each line that a server which is started writes to its stderr. */
  onStderr?: (line: string) => void;
  /** Gets the client in where a server over HTTP wants to know who it is: what `createAuthorizer` makes is one. */
  authorizer?: Authorizer;
}

/** What differs between the runtimes. */
export interface Platform {
  createSend(): { readonly send: HttpSend; close(): void };
  /** Absent where no process can be started. */
  readonly connectCommand?: (target: CommandTarget, options: ConnectCommandOptions) => Promise<Connection>;
  readonly legacy?: LegacyConnectors;
}

export type ConnectCommandOptions = Omit<ConnectHttpOptions, "legacy"> &
  Pick<ConnectOptions, "onStderr" | "startTimeoutMs">;

/**
 * Rejects with McpError or TransportError when no connection comes about, and TypeError for a target that is none. The tools
 * of a server in this process are known to the compiler; for any other target, `connect<typeof server>(…)` says which they are.
 */
export interface Connect {
  <Target extends ServerTarget>(target: Target, options?: ConnectOptions): Promise<Client<Target>>;
  (target: ConnectTarget, options?: ConnectOptions): Promise<Client>;
  <Target>(target: ConnectTarget, options?: ConnectOptions): Promise<Client<Target>>;
}

export function createConnect(platform: Platform): Connect {
  return async (target: ConnectTarget, options: ConnectOptions = {}) => {
    const { roots, legacy = true, era = legacy ? "auto" : "modern", ...others } = options;
    const shared = {
      ...others,
      era,
      ...toClientInfo(options),
      ...(Array.isArray(roots) && { roots: roots as readonly Root[] }),
      capabilities: declaredCapabilities(options),
    };
    if (typeof target === "string" || target instanceof URL) {
      const url = parseEndpoint(target);
      const connection = await overHttp(platform, url, options, shared);
      return new Client(createParts(connection, { serverName: nameOfEndpoint(url), address: url.href }, options));
    }
    if ("dispatch" in target) {
      const name = target.info?.name ?? "the server in this process";
      return createClient(await connectMemory(name, target.dispatch, shared), name, options);
    }
    if (!platform.connectCommand) {
      throw new TypeError('a command can only be started in Node: import connect from "@lethe/client/node"');
    }
    const name = [target.command, ...(target.args ?? [])].join(" ");
    return createClient(await platform.connectCommand(target, shared), name, options);
  };
}

async function overHttp(
  platform: Platform,
  url: URL,
  { send: ownSend, authorizer }: ConnectOptions,
  options: Omit<ConnectHttpOptions, "legacy">,
): Promise<Connection> {
  const { send, close } = ownSend ? { send: ownSend, close: () => {} } : platform.createSend();
  const target = { url, send: authorizer ? withAuthorization(send, authorizer) : send };
  try {
    const connection = await connectHttp(target, { ...options, legacy: platform.legacy });
    void connection.closed.then(close);
    return connection;
  } catch (error) {
    close();
    throw error;
  }
}
