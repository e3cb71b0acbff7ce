// Finds out whether a Redis that cannot be used would answer to the other scheme: with TLS instead of without, or the reverse.
import { hasTls, nodesOf, type RedisTarget } from "./redis-target.ts";
import { type Trial, tryNodes } from "./try-nodes.ts";

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
  const other = isTls ? plainAnswer : handshake;
  const answers = await tryNodes(nodesOf(target), { ...other, timeoutMs: Math.min(timeoutMs, maxMs) });
  if (!answers.includes(true)) return undefined;
  if (isTls) return 'it does not speak TLS; write "redis" instead of "rediss" in its URL';
  return 'it expects TLS; write "rediss" instead of "redis" in its URL';
}

/** For Sentinels and a Cluster, the driver does not say how a connection failed. */
function mayBeOfScheme({ kind }: RedisTarget, { code = "", name }: NodeJS.ErrnoException): boolean {
  return kind === "single" ? /^(?:ECONNRESET|EPIPE|ETIMEDOUT|ERR_SSL)/.test(code) : name !== "ReplyError";
}

/** A Redis without TLS waits for the end of the line that it sees in a TLS handshake, and says nothing. */
const plainAnswer: Omit<Trial<boolean>, "timeoutMs"> = {
  isTls: false,
  listen(socket, settle) {
    socket.once("connect", () => socket.write("PING\r\n"));
    socket.once("data", (bytes: Buffer) => settle(/^[+-]/.test(bytes.toString("latin1"))));
  },
};

/** Accepts any certificate, because nothing is sent after the handshake. */
const handshake: Omit<Trial<boolean>, "timeoutMs"> = {
  isTls: true,
  tls: { rejectUnauthorized: false },
  listen(socket, settle) {
    socket.once("secureConnect", () => settle(true));
  },
};
