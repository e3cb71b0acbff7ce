// `proxy`: a remote server as a Dispatch that connects with its first request and again after the connection has ended.
import {
  type ClientCapabilities,
  checkOptions,
  type Dispatch,
  type KnownOptions,
  tasksExtension,
} from "@lethe/protocol";
import type { Connection } from "../call/connection.ts";
import { nameOfEndpoint, parseEndpoint } from "../http/endpoint.ts";
import { toClientInfo } from "./client-parts.ts";
import {
  type CommandTarget,
  type ConnectOptions,
  knownCommandTarget,
  openConnection,
  type Platform,
} from "./create-connect.ts";

/** Options of `proxy`: those of `connect` that concern the connection. The callers of the proxy answer input requests. */
export type ProxyOptions = Pick<
  ConnectOptions,
  | "info"
  | "headers"
  | "authorizer"
  | "era"
  | "verdicts"
  | "connectTimeoutMs"
  | "startTimeoutMs"
  | "timeoutMs"
  | "maxTotalMs"
  | "send"
  | "onStderr"
  | "onWarning"
>;

const knownProxyOptions: KnownOptions<ProxyOptions> = {
  info: true,
  headers: true,
  authorizer: true,
  era: true,
  verdicts: true,
  connectTimeoutMs: true,
  startTimeoutMs: true,
  timeoutMs: true,
  maxTotalMs: true,
  send: true,
  onStderr: true,
  onWarning: true,
};

/** A remote server that can be mounted on a server. */
export interface Proxy {
  /** Sends a request to the remote server. Connects first if there is no connection. */
  readonly dispatch: Dispatch;
  /** Names the remote server: the host of its URL, or its command. */
  readonly info: { readonly name: string };
  /** Closes the connection. A server on which the proxy is mounted calls it when it closes. */
  closeWithServer(): Promise<void>;
}

/** Creates a proxy for a URL or a command. Throws TypeError for an invalid URL. */
export type CreateProxy = (target: string | URL | CommandTarget, options?: ProxyOptions) => Proxy;

/** Everything that a caller may support; each request carries the capabilities of its own caller. */
const relayedCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { context: {}, tools: {} },
  roots: {},
  extensions: { [tasksExtension]: {} },
};

export function createProxyFunction(platform: Platform): CreateProxy {
  return (target, options = {}) => {
    checkOptions("proxy", options, knownProxyOptions);
    const isUrl = typeof target === "string" || target instanceof URL;
    if (!isUrl) checkOptions("proxy: target", target, knownCommandTarget);
    const name = isUrl ? nameOfEndpoint(parseEndpoint(target)) : target.command;
    let connecting: Promise<Connection> | undefined;
    let isClosed = false;

    function connected(): Promise<Connection> {
      if (isClosed) return Promise.reject(new Error(`the proxy of ${name} is closed`));
      connecting ??= open();
      return connecting;
    }

    function open(): Promise<Connection> {
      const shared = { ...options, ...toClientInfo(options), capabilities: relayedCapabilities };
      const opening = openConnection(platform, target, options, shared);
      const forget = (): void => {
        if (connecting === opening) connecting = undefined;
      };
      opening.then(({ closed }) => closed.then(forget), forget);
      return opening;
    }

    return {
      info: { name },
      dispatch: async (request, exchange) => (await connected()).dispatch(request, exchange),
      async closeWithServer() {
        isClosed = true;
        await connecting?.then(
          (connection) => connection.close(),
          () => {},
        );
      },
    };
  };
}
