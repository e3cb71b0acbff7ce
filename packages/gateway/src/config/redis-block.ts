// Reads `gateway.redis`, or LETHE_REDIS_URL instead: the store that replicas share.
import type { RedisSettings } from "./gateway-settings.ts";
import { present } from "./present.ts";
import type { Section } from "./section.ts";
import type { Environment } from "./variables.ts";

/** The path of a URL: the number of a database, or nothing. */
const databasePattern = /^(\/\d{0,9})?$/;
const addressPattern = /^([\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\]):\d{1,5}$/;
const prefixPattern = /^\S{1,64}$/;

export function readRedis(section: Section | undefined, onSecret: (value: string) => void): RedisSettings | undefined {
  if (!section) return undefined;
  const url = section.requiredText("url");
  const prefix = section.text("prefix");
  const address = section.text("address");
  const allowEviction = section.flag("allowEviction");
  const leaseMs = section.whole("leaseMs", 1_000, 60_000);
  const commandTimeoutMs = section.whole("commandTimeoutMs", 200, 60_000);
  section.rejectOthers();
  if (url !== undefined) onPassword(url, onSecret);
  if (url !== undefined && !isRedisUrl(url)) section.fail("url", `must be a redis or rediss URL, got "${url}"`);
  if (prefix !== undefined && !prefixPattern.test(prefix)) {
    section.fail("prefix", `must be 1 to 64 characters without spaces, got "${prefix}"`);
  }
  if (address !== undefined && !addressPattern.test(address)) {
    section.fail("address", `must be host:port, got "${address}"`);
  }
  return present<RedisSettings>({ url: url ?? "", prefix, address, allowEviction, leaseMs, commandTimeoutMs });
}

/** Throws an Error that describes the problem. */
export function redisIn(environment: Environment, onSecret: (value: string) => void): RedisSettings | undefined {
  const url = environment.LETHE_REDIS_URL;
  if (!url) return undefined;
  onPassword(url, onSecret);
  if (!isRedisUrl(url)) throw new Error(`LETHE_REDIS_URL must be a redis or rediss URL, got "${url}"`);
  return { url };
}

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return /^rediss?:$/.test(protocol) && hostname !== "" && databasePattern.test(pathname);
}

function onPassword(url: string, onSecret: (value: string) => void): void {
  const password = URL.canParse(url) ? new URL(url).password : "";
  onSecret(password);
  if (password.includes("%")) onSecret(decodeURIComponent(password));
}
