// Finds out why a connection fails where the driver says only that it is closed: to Sentinels and the nodes of a Cluster, and to a Redis that
// answers before it was asked, as one with too many clients does.
import type { Socket } from "node:net";
import { type ClientCertificate, toTlsOptions } from "./client-certificate.ts";
import type { RedisNode } from "./redis-target.ts";
import { tryNodes } from "./try-nodes.ts";

/** How long a server that accepts a connection has to refuse it in words, in ms. */
const refusalMs = 200;

interface Attempt {
  readonly isTls: boolean;
  readonly timeoutMs: number;
  readonly certificate: ClientCertificate | undefined;
}

/** Resolves with the first error of a connection to one of the first nodes. Undefined if all succeed. Takes at most `timeoutMs` for each. */
export async function findFailure(
  nodes: readonly RedisNode[],
  { isTls, timeoutMs, certificate }: Attempt,
): Promise<Error | undefined> {
  const what = isTls ? "TLS handshake" : "connection";
  const listen = (socket: Socket, settle: (failure?: Error) => void): void => {
    socket.once("timeout", () => settle(new Error(`no ${what} in ${timeoutMs} ms`)));
    socket.once("error", settle);
    socket.once("data", (reply: Buffer) => settle(toRefusal(reply)));
    socket.once(isTls ? "secureConnect" : "connect", () => setTimeout(settle, refusalMs));
  };
  const outcomes = await tryNodes(nodes, { isTls, tls: toTlsOptions(certificate), timeoutMs, listen });
  const failures = outcomes.filter((failure) => failure !== undefined);
  return failures.find(isCertificateError) ?? failures.find(isCertificateRequired) ?? failures[0];
}

/** Whether the certificate of the other side is why a connection failed. */
export function isCertificateError(error: NodeJS.ErrnoException): boolean {
  return /CERT|SIGNATURE/.test(error.code ?? "") && !isCertificateRequired(error);
}

/** Whether the other side closed the connection because this one sent no certificate. TLS 1.2 does not say so. */
export function isCertificateRequired({ code = "" }: NodeJS.ErrnoException): boolean {
  return code === "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED";
}

/** Whether the other side ended the handshake with a reason, of which the certificate of this side is the usual one. */
export function isAlert({ code = "" }: NodeJS.ErrnoException): boolean {
  return /^ERR_SSL_.*_ALERT_/.test(code);
}

/** A server that has nothing to refuse says nothing before the first command. */
function toRefusal(reply: Buffer): Error | undefined {
  const [, text] = /^-([^\r\n]{1,200})/.exec(reply.toString("latin1")) ?? [];
  return text === undefined ? undefined : new Error(text);
}
