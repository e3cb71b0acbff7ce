// Finds out why a connection fails where the driver says only that it is closed: to Sentinels and the nodes of a Cluster, and to a Redis that
// answers before it was asked, as one with too many clients does.
import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { RedisNode } from "./redis-target.ts";

const maxNodes = 3;
/** How long a server that accepts a connection has to refuse it in words, in ms. */
const refusalMs = 200;

interface Attempt {
  readonly isTls: boolean;
  readonly timeoutMs: number;
}

/** Resolves with the first error of a connection to one of the first nodes. Undefined if all succeed. Takes at most `timeoutMs` for each. */
export async function findFailure(nodes: readonly RedisNode[], attempt: Attempt): Promise<Error | undefined> {
  const attempts = nodes.slice(0, maxNodes).map((node) => tryConnection(node, attempt));
  const failures = (await Promise.all(attempts)).filter((failure) => failure !== undefined);
  return failures.find(isCertificateError) ?? failures[0];
}

/** Whether the certificate of the other side is why a connection failed. */
export function isCertificateError({ code = "" }: NodeJS.ErrnoException): boolean {
  return /CERT|SIGNATURE/.test(code);
}

function tryConnection(
  { host, port }: RedisNode,
  { isTls, timeoutMs }: Attempt,
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const settle = (failure?: NodeJS.ErrnoException): void => {
      resolve(failure);
      socket.destroy();
    };
    const servername = isIP(host) === 0 ? host : "";
    const socket = isTls ? connectTls({ host, port, servername }) : connectPlain({ host, port });
    const what = isTls ? "TLS handshake" : "connection";
    socket.setTimeout(timeoutMs, () => settle(new Error(`no ${what} in ${timeoutMs} ms`)));
    socket.on("error", settle);
    socket.once("data", (reply: Buffer) => settle(toRefusal(reply)));
    socket.once(isTls ? "secureConnect" : "connect", () => {
      setTimeout(settle, refusalMs);
    });
  });
}

/** A server that has nothing to refuse says nothing before the first command. */
function toRefusal(reply: Buffer): Error | undefined {
  const [, text] = /^-([^\r\n]{1,200})/.exec(reply.toString("latin1")) ?? [];
  return text === undefined ? undefined : new Error(text);
}
