// A bus over LISTEN and NOTIFY (E-13). Its changes are encrypted and published by @lethe/server.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createSealedBus } from "@lethe/server/forwarding";
import { knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import type { Bus } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";

/** Options of `createPostgresBus`. */
export interface PostgresBusOptions extends SharedKeys {
  /** Size of one change as JSON, in bytes. A larger change reaches its own process only. Default 4 MiB. */
  maxBytes?: number;
  /** Changes being published at a time. Further changes reach their own process only. Default 10,000. */
  maxSending?: number;
  /** Called once, at the first change that did not reach every process. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownPostgresBusOptions: KnownOptions<PostgresBusOptions> = {
  ...knownSharedKeys,
  maxBytes: true,
  maxSending: true,
  onWarning: true,
};

/**
 * Creates a bus over LISTEN and NOTIFY for the option `subscriptions.bus`. Listeners of the same process are called before `publish`
 * returns; while PostgreSQL is away, only they are called. After a reconnect all listeners get a change of every list. Resolves when
 * changes can arrive. Rejects without keys.
 *
 * @example
 * import { connectPostgres, createPostgresBus } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const bus = await createPostgresBus(postgres, { keys: `k1:${"A".repeat(43)}` });
 * bus.subscribe((change) => console.log(change));
 * bus.publish({ kind: "tools" });
 * await postgres.close();
 */
export async function createPostgresBus(
  postgres: Pick<PostgresLink, "publish" | "subscribe" | "onResubscribed">,
  options: PostgresBusOptions = {},
): Promise<Bus> {
  checkOptions("createPostgresBus", options, knownPostgresBusOptions);
  const { maxBytes = 4 * 1024 * 1024, maxSending = 10_000, onWarning = console.warn } = options;
  return createSealedBus(postgres, { ring: ringOf(options, "changes"), maxBytes, maxSending, onWarning });
}
