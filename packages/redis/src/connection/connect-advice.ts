// What an operator can do about a connection to Redis that failed: the reason in plain words, and the remedy.
import { isCertificateError } from "./connect-failure.ts";
import { reasonOf } from "./connection-state.ts";
import type { RedisTarget } from "./redis-target.ts";

/** How the driver introduces what Sentinels answered. It also says that it tries again, which `connectRedis` does not. */
const sentinelPreface = /^All sentinels are unreachable.*Last error: /;

/** The rights of an account, as `ACL SETUSER` takes them. */
const rights = "+@read +@write +@pubsub +@scripting +@connection +info";

export interface FailedTarget {
  readonly target: RedisTarget;
  readonly prefix: string;
}

/** Returns the reason and the remedy as the end of a sentence. */
export function explainFailure(cause: Error, failed: FailedTarget): string {
  const reason = reasonOf(cause).replace(sentinelPreface, "").trim();
  return `${reason}; ${adviceFor(cause, reason, failed)}`;
}

function adviceFor(cause: Error, reason: string, { target, prefix }: FailedTarget): string {
  if (isCertificateError(cause)) {
    return "set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority, or write the host name of its certificate";
  }
  if (reason.startsWith("NOPERM")) {
    const ofCluster = target.kind === "cluster" ? " +cluster" : "";
    return `give its account ~${prefix}* &${prefix}* ${rights}${ofCluster}`;
  }
  if (/^(?:WRONGPASS|NOAUTH)/.test(reason)) return "check the user and password in its URL";
  if (reason.startsWith("ERR max number of clients")) return "raise maxclients of Redis, or close other connections";
  if (reason.startsWith("ERR DB index"))
    return "correct the number of the database in its URL, or raise databases of Redis";
  if (reason.startsWith("ERR No such master"))
    return "correct the name of the primary in its URL, which follows the Sentinels";
  if (/^ERR unknown command .?sentinel/i.test(reason))
    return "its URL must name the Sentinels, which usually have port 26379";
  if (reason.startsWith("ERR This instance has cluster support disabled")) {
    return 'it is no Cluster: remove "+cluster" from its URL';
  }
  return "check that it runs and that its URL is correct";
}
