// What a Redis URL means: one server, the primary that Sentinels name, or a Cluster.
import type { ClientCertificate } from "./client-certificate.ts";

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Account {
  readonly username?: string;
  readonly password?: string;
}

interface Certified {
  readonly certificate?: ClientCertificate | undefined;
}

/** One server. The driver reads its URL. */
export interface SingleTarget extends Certified {
  readonly kind: "single";
  readonly url: string;
}

export interface SentinelTarget extends Account, Certified {
  readonly kind: "sentinel";
  /** The Sentinels. */
  readonly nodes: readonly RedisNode[];
  /** The name by which the Sentinels know the primary. */
  readonly primary: string;
  readonly database: number;
  readonly isTls: boolean;
  /** The account at the Sentinels. */
  readonly sentinel: Account;
}

export interface ClusterTarget extends Account, Certified {
  readonly kind: "cluster";
  /** Some nodes of the Cluster, which name the others. */
  readonly nodes: readonly RedisNode[];
  readonly isTls: boolean;
}

export type RedisTarget = SingleTarget | SentinelTarget | ClusterTarget;

const pattern = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@/]*)@)?([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const nodePattern = /^(\[[\da-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/;
const maxNodes = 64;
const redisPort = 6_379;
const sentinelPort = 26_379;

/** Throws TypeError for a URL of a Cluster or of Sentinels that is malformed. */
export function parseRedisUrl(url: string, certificate?: ClientCertificate): RedisTarget {
  if (!/^rediss?\+/.test(url)) return { kind: "single", url, certificate };
  const parts = pattern.exec(url);
  if (!parts) throw malformed();
  const [, scheme, kind, account, hosts = "", path = "", query] = parts;
  const isTls = scheme === "rediss";
  const nodes = hosts.split(",").map((host) => toNode(host, kind === "sentinel" ? sentinelPort : redisPort));
  if (nodes.length > maxNodes) throw new TypeError(`a Redis URL names at most ${maxNodes} nodes, got ${nodes.length}`);
  const common = { nodes, isTls, certificate, ...toAccount(account) };
  if (kind === "cluster") {
    if (path !== "" && path !== "0")
      throw new TypeError("a Redis Cluster has no databases: no path expected in its URL");
    return { kind, ...common };
  }
  const [primary = "", database = "0", ...rest] = path.split("/").map(decodeURIComponent);
  if (primary === "" || rest.length > 0 || !/^\d{1,9}$/.test(database)) throw malformed();
  const sentinel = accountIn(new URLSearchParams(query));
  return { kind: "sentinel", ...common, primary, database: Number(database), sentinel };
}

/** Whether connections use TLS. */
export function hasTls(target: RedisTarget): boolean {
  return target.kind === "single" ? target.url.startsWith("rediss:") : target.isTls;
}

/** The servers that the URL names. Empty for one server whose URL only the driver can read. */
export function nodesOf(target: RedisTarget): readonly RedisNode[] {
  if (target.kind !== "single") return target.nodes;
  if (!URL.canParse(target.url)) return [];
  const { hostname, port } = new URL(target.url);
  if (hostname === "") return [];
  return [{ host: withoutBrackets(hostname), port: port === "" ? redisPort : Number(port) }];
}

/** The address in a URL, without user, password and query. */
export function addressIn(url: string): string {
  const { protocol, host, pathname } = URL.canParse(url) ? new URL(url) : { protocol: "", host: "", pathname: "" };
  if (host !== "") return `${protocol}//${host}${pathname}`;
  const parts = pattern.exec(url);
  return parts ? `${parts[1]}+${parts[2]}://${parts[4]}${parts[5] ? `/${parts[5]}` : ""}` : "the given address";
}

function toNode(text: string, usualPort: number): RedisNode {
  const [, host = "", port] = nodePattern.exec(text) ?? [];
  const number = port === undefined ? usualPort : Number(port);
  if (host === "" || number < 1 || number > 65_535) throw malformed();
  return { host: withoutBrackets(host), port: number };
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

function toAccount(text = ""): Account {
  const colon = text.indexOf(":");
  const [username, password] = colon === -1 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
  return {
    ...(username !== "" && { username: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
  };
}

function accountIn(query: URLSearchParams): Account {
  const [username, password] = [query.get("sentinelUser"), query.get("sentinelPassword")];
  return { ...(username && { username }), ...(password && { password }) };
}

function malformed(): TypeError {
  return new TypeError(
    "a Redis URL such as redis://user:password@host:6379/0, redis+sentinel://user:password@host1:26379,host2:26379/primary/0 or redis+cluster://user:password@host1:6379,host2:6379 expected (rediss for TLS)",
  );
}
