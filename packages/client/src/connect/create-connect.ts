// `connect`: creates a client for a URL, a command, or a server in the same process.
import {
  checkOptions,
  type DiscoverResult,
  type Dispatch,
  type Era,
  isJsonObject,
  type KnownOptions,
  nameOf,
  pickOptions,
  type Root,
} from "@lethe/protocol";
import type { Authorizer } from "../auth/authorizer.ts";
import type { createAuthorizer } from "../auth/create-authorizer.ts";
import type { Connection } from "../call/connection.ts";
import type { VerdictMemory } from "../era/verdict-memory.ts";
import { nameOfEndpoint, parseEndpoint } from "../http/endpoint.ts";
import { type HttpOptions, knownHttpOptions } from "../http/http-options.ts";
import type { HttpSend } from "../http/http-send.ts";
import { withAuthorization } from "../http/with-authorization.ts";
import type { MemoryOptions } from "../memory/memory-dispatch.ts";
import { Client } from "./client.ts";
import { checkExtensions } from "./client-extension.ts";
import { type ClientOptions, knownClientOptions } from "./client-options.ts";
import { createParts, declaredCapabilities, type ServerNames, toClientInfo } from "./client-parts.ts";
import {
  type ConnectHttpOptions,
  connectHttp,
  knownConnectHttpOptions,
  type LegacyConnectors,
} from "./connect-http.ts";
import { type ConnectMemoryOptions, connectMemory, knownConnectMemoryOptions } from "./connect-memory.ts";

/** A program that speaks MCP over its standard input and output. */
export interface CommandTarget {
  /** The program: a path, or a name that is looked up in PATH. */
  readonly command: string;
  /** The arguments of the program. Default none. */
  readonly args?: readonly string[];
  /** Variables in addition to the minimal environment of every server (PATH, HOME and the like). */
  readonly env?: Readonly<Record<string, string>>;
  /** The working folder. Default: the one of this process. */
  readonly cwd?: string;
}

export const knownCommandTarget: KnownOptions<CommandTarget> = {
  command: "a string",
  args: true,
  env: true,
  cwd: true,
};

/** A server in this process, such as the result of `createServer` of @lethe/server. */
export interface ServerTarget {
  /** Serves the requests. */
  readonly dispatch: Dispatch;
  /** Names the server in errors and dialogs. */
  readonly info?: { readonly name: string };
}

/** A server to connect to: a URL, a command, or a server in the same process. */
export type ConnectTarget = string | URL | CommandTarget | ServerTarget;

/** Options of `connect`. Those that do not apply to the transport of the target are ignored. */
export interface ConnectOptions
  extends ClientOptions,
    HttpOptions,
    Pick<MemoryOptions, "caller">,
    Pick<ConnectHttpOptions, "pingIntervalMs" | "pingTimeoutMs"> {
  /** A discover result that is still valid. Connecting over HTTP then needs no request. */
  knownServer?: DiscoverResult;
  /** Remembers the eras of servers across connections. Default: not remembered. */
  verdicts?: VerdictMemory;
  /** The era to use: "auto" detects it; "modern" and "legacy" accept only that one. Default "auto". */
  era?: Era | "auto";
  /** False equals `era: "modern"`: reject servers of revisions before 2026-07-28. Default true. */
  legacy?: boolean;
  /** Time limit for detecting the era over HTTP, in ms. Default 60 000: a gateway may have to start the server first. */
  connectTimeoutMs?: number;
  /** Time limit for the first response of a started command, in ms. Default `connectTimeoutMs`, else 60 000. */
  startTimeoutMs?: number;
  /** Cancels connecting. Does not affect a client that is already connected. */
  signal?: AbortSignal;
  /** Sends HTTP requests. Default: the runtime's own implementation. */
  send?: HttpSend;
  /** Receives each line that a started server writes to stderr. */
  onStderr?: (line: string) => void;
  /** Authorizes requests to a protected server over HTTP. Created by `createAuthorizer`. */
  authorizer?: Authorizer;
}

const knownConnectOptions: KnownOptions<ConnectOptions> = {
  ...knownClientOptions,
  ...knownHttpOptions,
  knownServer: true,
  verdicts: true,
  era: true,
  legacy: true,
  connectTimeoutMs: true,
  startTimeoutMs: true,
  signal: true,
  send: true,
  onStderr: true,
  authorizer: true,
  caller: true,
  pingIntervalMs: true,
  pingTimeoutMs: true,
};

/** The parts that differ between runtimes. */
export interface Platform {
  createSend(): { readonly send: HttpSend; close(): void };
  /** Makes the authorizer of an extension. Default: that of `@lethe/client/auth`, which is loaded when it is needed. */
  readonly createAuthorizer?: typeof createAuthorizer;
  /** Absent where processes cannot be started. */
  readonly connectCommand?: (target: CommandTarget, options: ConnectCommandOptions) => Promise<Connection>;
  readonly legacy?: LegacyConnectors;
}

export type ConnectCommandOptions = Omit<ConnectHttpOptions, "legacy"> &
  Pick<ConnectOptions, "onStderr" | "startTimeoutMs">;

/**
 * Connects to a server. Rejects with McpError or TransportError if that fails, and with TypeError for an invalid
 * target. The compiler knows the tools of a server in this process; for other targets, name its type:
 * `connect<typeof server>(…)`.
 */
export interface Connect {
  <Target extends ServerTarget>(target: Target, options?: ConnectOptions): Promise<Client<Target>>;
  (target: ConnectTarget, options?: ConnectOptions): Promise<Client>;
  <Target>(target: ConnectTarget, options?: ConnectOptions): Promise<Client<Target>>;
}

export function createConnect(platform: Platform): Connect {
  return async (target: ConnectTarget, options: ConnectOptions = {}) => {
    checkOptions("connect", options, knownConnectOptions);
    checkExtensions("connect", options.extensions);
    checkTarget(target);
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
      const connection = await openConnection(platform, url, options, shared);
      return toClient(connection, { serverName: nameOfEndpoint(url), address: url.href }, options);
    }
    if ("dispatch" in target) {
      const name = target.info?.name ?? "the server in this process";
      const own = pickOptions<ConnectMemoryOptions>(shared, knownConnectMemoryOptions);
      return toClient(await connectMemory(name, target.dispatch, own), { serverName: name }, options);
    }
    const name = [target.command, ...(target.args ?? [])].join(" ");
    return toClient(await openConnection(platform, target, options, shared), { serverName: name }, options);
  };
}

/** Connects over HTTP, or to a command that it starts. */
export async function openConnection(
  platform: Platform,
  target: string | URL | CommandTarget,
  options: ConnectOptions,
  shared: ConnectCommandOptions,
): Promise<Connection> {
  if (typeof target === "string" || target instanceof URL) {
    return overHttp(platform, parseEndpoint(target), options, shared);
  }
  if (!platform.connectCommand) {
    throw new TypeError('a command can only be started in Node: import from "@lethe/client/node"');
  }
  return platform.connectCommand(target, shared);
}

function toClient(connection: Connection, names: ServerNames, options: ClientOptions): Client {
  return new Client(createParts(connection, names, options));
}

/** Throws a TypeError for a value that is no target, and an Error for an unknown member of a command. */
function checkTarget(target: unknown): void {
  if (typeof target === "string" || target instanceof URL) return;
  if (isJsonObject(target)) {
    if (typeof target.dispatch === "function") return;
    if (target.command !== undefined) {
      checkOptions("connect: target", target, knownCommandTarget);
      return;
    }
    if ("url" in target) throw new TypeError("connect: a URL expected, got an object with a URL: pass the URL itself");
  }
  throw new TypeError(`connect: a URL, a command or a server expected, got ${nameOf(target)}`);
}

async function authorizerOf(
  platform: Platform,
  url: URL,
  extensions: ConnectOptions["extensions"] = [],
): Promise<Authorizer | undefined> {
  const options = extensions.find(({ authorization }) => authorization)?.authorization;
  if (!options) return undefined;
  const create = platform.createAuthorizer ?? (await import("../auth/create-authorizer.ts")).createAuthorizer;
  return create(url, options);
}

const defaultConnectTimeoutMs = 60_000;

async function overHttp(
  platform: Platform,
  url: URL,
  { send: ownSend, authorizer: given, extensions }: ConnectOptions,
  options: Omit<ConnectHttpOptions, "legacy">,
): Promise<Connection> {
  const authorizer = given ?? (await authorizerOf(platform, url, extensions));
  const { send, close } = ownSend ? { send: ownSend, close: () => {} } : platform.createSend();
  const target = { url, send: authorizer ? withAuthorization(send, authorizer) : send };
  try {
    const connection = await connectHttp(target, {
      connectTimeoutMs: defaultConnectTimeoutMs,
      retries: {},
      ...pickOptions<ConnectHttpOptions>(options, knownConnectHttpOptions),
      legacy: platform.legacy,
    });
    void connection.closed.then(close);
    return connection;
  } catch (error) {
    close();
    throw error;
  }
}
