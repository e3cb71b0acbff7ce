// Which store the replicas share: Redis or PostgreSQL, named by a file or by LETHE_REDIS_URL or LETHE_POSTGRES_URL.
import type { GatewaySettings } from "./schema/settings.ts";
import { passwordsIn, postgresAddress, redisAddress, type StoreAddress } from "./schema/store-address.ts";
import type { Environment } from "./variables.ts";

interface Variable {
  readonly name: "LETHE_REDIS_URL" | "LETHE_POSTGRES_URL";
  readonly store: "redis" | "postgres";
  readonly address: StoreAddress;
}

const variables: readonly Variable[] = [
  { name: "LETHE_REDIS_URL", store: "redis", address: redisAddress },
  { name: "LETHE_POSTGRES_URL", store: "postgres", address: postgresAddress },
];

/** Adds the store that a variable names, unless a file names it. Returns the problems. */
export function readSharedStore(
  settings: GatewaySettings,
  environment: Environment,
  onSecret: (value: string) => void,
): string[] {
  const problems: string[] = [];
  const places = new Map<string, string>();
  for (const { name, store, address } of variables) {
    const url = environment[name];
    if (settings[store]) places.set(store, `gateway.${store}`);
    else if (url) {
      for (const password of passwordsIn(url)) onSecret(password);
      if (address.isValid(url)) settings[store] = { url };
      else problems.push(`${name} ${address.problemOf(url)}`);
      places.set(store, name);
    }
  }
  if (places.size > 1) {
    problems.push(`${[...places.values()].join(" and ")} name two stores, and replicas share one: remove one of them`);
  }
  for (const store of ["redis", "postgres"] as const) {
    if (!settings[store] || environment.LETHE_KEYS) continue;
    const why = "the same for all replicas: what they tell each other is sealed with it";
    problems.push(`gateway.${store} needs LETHE_KEYS, ${why}`);
  }
  return problems;
}
