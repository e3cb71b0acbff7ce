// The keys that seal what callers carry, and the keys of callers and administrators: their presence, strength and age.
import type { GatewaySettings } from "@lethe/gateway";
import { createKeyRing } from "@lethe/server/stores";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Random bytes of a key of 32 bytes have about 30 different values; a text as a key has far fewer. */
const fewValues = 20;
/** Characters of a key of a caller. 22 characters of base64url are 128 bits. */
const shortKey = 22;
const day = 24 * 60 * 60 * 1_000;
const oldAfterDays = 365;

const howToMake = `LETHE_KEYS="$(date +k%Y%m%d):$(openssl rand 32 | base64 | tr '+/' '-_' | tr -d '=')"`;

export function checkKeys(
  settings: GatewaySettings,
  given: string | undefined,
  now: number = Date.now(),
): readonly Finding[] {
  return [...checkSealKeys(settings, given, now), ...checkCallerKeys(settings)];
}

function checkSealKeys(
  { redis, postgres }: GatewaySettings,
  given: string | undefined,
  now: number,
): readonly Finding[] {
  if (!given) {
    const missing = "LETHE_KEYS is not set";
    if (redis || postgres) {
      const cause = "replicas that share a store must open what the others have sealed";
      return [problem("keys", missing, { cause, remedy: `set the same keys for all replicas: ${howToMake}` })];
    }
    const cause = "the gateway seals with a random key, so a restart ends pending calls and sessions of older clients";
    return [warning("keys", missing, { cause, remedy: `set it: ${howToMake}` })];
  }
  try {
    createKeyRing(given);
  } catch (error) {
    const cause = "the gateway does not start with it";
    return [problem("keys", (error as Error).message, { cause, remedy: `make a new key: ${howToMake}` })];
  }
  const keys = given.split(",").map((entry) => {
    const [id = "", key = ""] = entry.trim().split(":");
    return { id, bytes: Buffer.from(key, "base64url") };
  });
  const weak = keys.filter(({ bytes }) => new Set(bytes).size < fewValues);
  const findings = weak.map(({ id }) =>
    problem("keys", `the key ${id} of LETHE_KEYS is not random`, {
      cause: "anyone who guesses it can forge the state of calls",
      remedy: `replace it by a random key: ${howToMake}`,
    }),
  );
  return findings.length > 0 ? findings : [toAge(keys[0]?.id ?? "", now)];
}

/** The age is known if the id of the key contains a date, such as k20261125 or 2026-11-25. */
function toAge(id: string, now: number): Finding {
  const [, year, month, date] = /(20\d\d)-?([01]\d)-?([0-3]\d)/.exec(id) ?? [];
  const madeAt = Date.parse(`${year}-${month}-${date}T00:00:00Z`);
  if (Number.isNaN(madeAt)) return ok("keys", `LETHE_KEYS is valid; its first key is ${id}, which names no date`);
  const days = Math.floor((now - madeAt) / day);
  if (days <= oldAfterDays) return ok("keys", `LETHE_KEYS is valid; its first key is ${id}, ${days} days old`);
  return warning("keys", `the first key of LETHE_KEYS, ${id}, is ${days} days old`, {
    cause: "everything that was sealed since then is readable for anyone who gets this key",
    remedy: "rotate it: append a new key everywhere, move it to the front, then remove the old one",
  });
}

function checkCallerKeys({ auth, admin }: GatewaySettings): readonly Finding[] {
  const named = [
    ...(auth?.keys ?? []).map(({ id, key }) => ({ name: `the key of the caller ${id}`, key })),
    ...(admin?.key === undefined ? [] : [{ name: "gateway.admin.key", key: admin.key }]),
  ];
  const short = named.filter(({ key }) => key.length < shortKey || new Set(key).size < 8);
  if (named.length > 0 && short.length === 0) return [ok("keys", `${named.length} keys of callers are strong enough`)];
  return short.map(({ name, key }) =>
    warning("keys", `${name} has only ${key.length} characters, or few different ones`, {
      cause: "it may be guessed",
      remedy: "replace it, for example by the output of: openssl rand -hex 32",
    }),
  );
}
