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
  problemOf: (given) => {
    const other = otherPostgres(given);
    return other === undefined ? toProblem("a postgres or postgresql URL", given) : toPlainProblem(other, given);
  },
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
  const hasOneHost = !hostname.includes(",") && (hostname !== "" || searchParams.has("host"));
  return /^postgres(?:ql)?:$/.test(protocol) && isWhole && hasOneHost;
}

/** What to write instead of an address that other clients of PostgreSQL accept. */
function otherPostgres(given: string): string | undefined {
  const [, hosts] = /^postgres(?:ql)?:\/\/(?:.*@)?([^@/?#]*)/s.exec(given) ?? [];
  if (hosts?.includes(",")) return "a postgres or postgresql URL with one host, which leads to the primary";
  if (hosts === "" && given.includes("host=")) {
    return "postgres:///DATABASE?host=FOLDER&user=USER for the socket in a folder";
  }
  return undefined;
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
  const advice = schemeOf(given) !== "" && given.includes("@") && !isReadable(given) ? `; ${encodeAdvice}` : "";
  return `${toPlainProblem(expected, given)}${advice}`;
}

/** The same without advice about the password. */
function toPlainProblem(expected: string, given: string): string {
  const hasParameter = /passw|pwd/i.test(given);
  const shown = hasParameter ? `${schemeOf(given)}***` : given.replace(/^([\w+.-]*:\/\/)?.*@/s, `$1***@`);
  return `must be ${expected}, got "${shown}"`;
}

const schemeOf = (given: string): string => /^[\w+.-]*:\/\//.exec(given)?.[0] ?? "";

const encodeAdvice = 'write special characters of the password in percent-encoding, such as "/" as "%2F"';

function isReadable(given: string): boolean {
  return URL.canParse(given) && !new URL(given).pathname.includes("@");
}
