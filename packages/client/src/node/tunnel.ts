// Opens a connection to a server through an HTTP proxy, which passes on its bytes without reading them.
import { request } from "node:http";
import type { Socket } from "node:net";
import { type ForwardProxy, toProxyHeaders } from "./forward-proxy.ts";

/** A connection that is being opened. */
export interface OpeningTunnel {
  /** Without a call of `done`, if that has not been called. */
  destroy(): void;
}

/**
 * Calls `done` once, with the connection to the server of an https URL, or the reason why there is none. An error has the code
 * ECONNREFUSED: the server has seen nothing.
 */
export function openTunnel(
  proxy: ForwardProxy,
  { hostname, port: serverPort }: URL,
  done: (error: Error | undefined, socket?: Socket) => void,
): OpeningTunnel {
  const { host, port, origin } = proxy;
  const address = `${hostname}:${serverPort || 443}`;
  const fail = (problem: string): void => {
    const message = `${problem}; if ${address} is reached without a proxy, name its host in NO_PROXY`;
    done(Object.assign(new Error(message), { code: "ECONNREFUSED" }));
  };
  let isAbandoned = false;
  const headers = toProxyHeaders(proxy, address);
  const opening = request({ host, port, method: "CONNECT", path: address, headers, agent: false });
  opening.once("connect", ({ statusCode = 0, statusMessage = "" }, socket, head) => {
    if (statusCode >= 200 && statusCode <= 299) {
      if (head.length > 0) socket.unshift(head);
      return done(undefined, socket as Socket);
    }
    socket.destroy();
    const advice = statusCode === 407 ? " (set user and password in the URL of the proxy)" : "";
    fail(
      `the proxy ${origin} opens no connection to ${address}: ${statusCode} ${statusMessage.slice(0, 100)}${advice}`,
    );
  });
  opening.on("error", (error) => {
    if (!isAbandoned) fail(`the proxy ${origin} cannot be used: ${error.message}`);
  });
  opening.end();
  return {
    destroy() {
      isAbandoned = true;
      opening.destroy();
    },
  };
}
