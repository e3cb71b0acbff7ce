// The addresses of the stores that replicas share: which are valid, and which parts are secret.

/** How a store is addressed. */
export interface StoreAddress {
  isValid(given: string): boolean;
  /** What is wrong with an address that is not valid. Contains none of its credentials. */
  problemOf(given: string): string;
}

export const redisAddress: StoreAddress = {
  isValid: isRedisUrl,
  problemOf: (given) => toProblem(expectedRedis(given), given),
};

export const postgresAddress: StoreAddress = {
  isValid: isPostgresUrl,
  problemOf: (given) => toProblem("a postgres or postgresql URL", given),
};

/** The path of a URL: the number of a database, or nothing. */
const databasePattern = /^(\/\d{0,9})?$/;

/** Sentinels with the name of the primary, or nodes of a Cluster. */
const severalPattern =
  /^rediss?\+(?:sentinel:\/\/(?:[^@/]*@)?[^@/?#]+\/[^/?#]+(?:\/\d{1,9})?(?:\?[^#]*)?|cluster:\/\/(?:[^@/]*@)?[^@/?#]+\/?)$/;
const parameterPassword = /[?&](?:sentinelPassword|password)=([^&#]*)/;

function isRedisUrl(given: string): boolean {
  if (severalPattern.test(given)) return true;
  if (!URL.canParse(given)) return false;
  const { protocol, hostname, pathname } = new URL(given);
  return /^rediss?:$/.test(protocol) && hostname !== "" && databasePattern.test(pathname);
}

/** For a known scheme, the form of its URL: the scheme is not what is wrong. */
function expectedRedis(given: string): string {
  const [, scheme = "", kind = ""] = /^(rediss?)(\+\w+)?:/.exec(given) ?? [];
  if (kind === "+sentinel")
    return `${scheme}+sentinel://HOST:26379/PRIMARY or ${scheme}+sentinel://HOST:26379/PRIMARY/DATABASE`;
  if (kind === "+cluster") return `${scheme}+cluster://HOST:6379,HOST:6379 without a database`;
  if (scheme !== "" && kind === "")
    return `${scheme}://HOST:6379 or ${scheme}://HOST:6379/DATABASE, with numbers for both`;
  return "a redis, rediss, redis+sentinel or redis+cluster URL";
}

/** The host may be a parameter, such as the folder of a socket. */
function isPostgresUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname, pathname, searchParams } = new URL(given);
  // The password of `postgres://user:12/34@host` would be a port and a path.
  const isWhole = !pathname.includes("@");
  return /^postgres(?:ql)?:$/.test(protocol) && isWhole && (hostname !== "" || searchParams.has("host"));
}

/** The passwords of a URL, as they are written and decoded. */
export function passwordsIn(given: string): string[] {
  const several = /^rediss?\+\w+:\/\/[^@/:]*:([^@/]*)@/.exec(given)?.[1];
  const password = several ?? (URL.canParse(given) ? new URL(given).password : "");
  const passwords = [password, ...(parameterPassword.exec(given)?.slice(1) ?? [])];
  return passwords.flatMap((one) => (one.includes("%") ? [one, decoded(one)] : [one]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Says what was expected and what came, without the credentials in it: a password that is not encoded may end anywhere before the last "@". */
function toProblem(expected: string, given: string): string {
  const [scheme = ""] = /^[\w+.-]*:\/\//.exec(given) ?? [];
  const shown = /passw|pwd/i.test(given) ? `${scheme}***` : given.replace(/^([\w+.-]*:\/\/)?.*@/s, `$1***@`);
  const advice = scheme !== "" && given.includes("@") && !isReadable(given) ? `; ${encodeAdvice}` : "";
  return `must be ${expected}, got "${shown}"${advice}`;
}

const encodeAdvice = 'write special characters of the password in percent-encoding, such as "/" as "%2F"';

function isReadable(given: string): boolean {
  return URL.canParse(given) && !new URL(given).pathname.includes("@");
}
