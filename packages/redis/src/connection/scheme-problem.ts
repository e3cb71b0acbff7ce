// Finds out whether a Redis that cannot be used would answer to the other scheme: with TLS instead of without, or the reverse.
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { hasTls, nodesOf, type RedisNode, type RedisTarget } from "./redis-target.ts";

const maxNodes = 3;
/** How long a node has to answer to the other scheme, in ms. */
const maxMs = 1_000;

export interface FailedConnection {
  readonly thrown: NodeJS.ErrnoException;
  readonly timeoutMs: number;
}

/** Undefined if something else is why a connection failed. */
export async function findSchemeProblem(
  target: RedisTarget,
  { thrown, timeoutMs }: FailedConnection,
): Promise<string | undefined> {
  if (!mayBeOfScheme(target, thrown)) return undefined;
  const isTls = hasTls(target);
  const tryOther = isTls ? answersPlainly : answersHandshake;
  const nodes = nodesOf(target).slice(0, maxNodes);
  const answers = await Promise.all(nodes.map((node) => tryOther(node, Math.min(timeoutMs, maxMs))));
  if (!answers.includes(true)) return undefined;
  if (isTls) return 'it does not speak TLS; write "redis" instead of "rediss" in its URL';
  return 'it expects TLS; write "rediss" instead of "redis" in its URL';
}

/** For Sentinels and a Cluster, the driver does not say how a connection failed. */
function mayBeOfScheme({ kind }: RedisTarget, { code = "", name }: NodeJS.ErrnoException): boolean {
  return kind === "single" ? /^(?:ECONNRESET|EPIPE|ETIMEDOUT|ERR_SSL)/.test(code) : name !== "ReplyError";
}

/** A Redis without TLS waits for the end of the line that it sees in a TLS handshake, and says nothing. */
function answersPlainly({ host, port }: RedisNode, timeoutMs: number): Promise<boolean> {
  const socket = connectPlain({ host, port });
  socket.once("connect", () => socket.write("PING\r\n"));
  return settleWithin(timeoutMs, socket, (resolve) => {
    socket.once("data", (bytes: Buffer) => resolve(/^[+-]/.test(bytes.toString("latin1"))));
  });
}

/** Accepts any certificate, because nothing is sent after the handshake. */
function answersHandshake({ host, port }: RedisNode, timeoutMs: number): Promise<boolean> {
  const servername = isIP(host) === 0 ? host : "";
  const socket = connectTls({ host, port, servername, rejectUnauthorized: false });
  return settleWithin(timeoutMs, socket, (resolve) => void socket.once("secureConnect", () => resolve(true)));
}

function settleWithin(
  timeoutMs: number,
  socket: Socket,
  listen: (resolve: (isAnswer: boolean) => void) => void,
): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    listen(resolve);
    for (const event of ["error", "close"] as const) socket.on(event, () => resolve(false));
    socket.setTimeout(timeoutMs, () => resolve(false));
  }).finally(() => socket.destroy());
}
