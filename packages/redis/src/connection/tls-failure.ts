// Finds out why TLS to Sentinels or the nodes of a Cluster fails: for these, the driver says only that a connection is closed.
import { isIP } from "node:net";
import { connect } from "node:tls";
import type { RedisNode } from "./redis-target.ts";

const maxNodes = 3;

/** Resolves with the first error of a handshake with one of the first nodes. Undefined if all succeed. Takes at most `timeoutMs` for each. */
export async function findTlsFailure(nodes: readonly RedisNode[], timeoutMs: number): Promise<Error | undefined> {
  const attempts = nodes.slice(0, maxNodes).map((node) => tryHandshake(node, timeoutMs));
  const failures = (await Promise.all(attempts)).filter((failure) => failure !== undefined);
  return failures.find(isCertificateError) ?? failures[0];
}

/** Whether the certificate of the other side is why a connection failed. */
export function isCertificateError({ code = "" }: NodeJS.ErrnoException): boolean {
  return /CERT|SIGNATURE/.test(code);
}

function tryHandshake({ host, port }: RedisNode, timeoutMs: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const settle = (failure?: NodeJS.ErrnoException): void => {
      resolve(failure);
      socket.destroy();
    };
    const socket = connect({ host, port, servername: isIP(host) === 0 ? host : "" });
    socket.setTimeout(timeoutMs, () => settle(new Error(`no TLS handshake in ${timeoutMs} ms`)));
    socket.on("error", settle);
    socket.on("secureConnect", () => settle());
  });
}
