// Starts several replicas in one process over one PostgreSQL, with connections that a test can hold.
import { type ModernRequest, metaKey } from "@lethe/protocol";
import { createKeyRing, type KeyRing } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import type { PostgresDirectoryOptions } from "../replicas/directory-options.ts";
import { createPostgresDirectory, type PostgresDirectory } from "../replicas/postgres-directory.ts";
import { keys, type OwnPostgres } from "./own-postgres.ts";

export const ring: KeyRing = createKeyRing(keys);

/** Joins a replica for the length of the test. */
export async function join(
  { connect, atEnd }: OwnPostgres,
  options: Partial<PostgresDirectoryOptions> = {},
): Promise<PostgresDirectory> {
  const postgres = options.postgres ?? (await connect());
  const plan = { postgres, ring, dispatchAt: () => undefined, onProblem: () => {} };
  const directory = await createPostgresDirectory({ ...plan, ...options });
  atEnd(() => directory.close());
  return directory;
}

export interface HeldLink {
  readonly link: PostgresLink;
  /** From now on statements wait, and run when they are let go: the network delivers late. */
  hold(): void;
  letGo(): void;
}

export function holdable(postgres: PostgresLink): HeldLink {
  let gate: Promise<void> | undefined;
  let open: () => void = () => {};
  return {
    hold() {
      gate ??= new Promise((resolve) => {
        open = resolve;
      });
    },
    letGo() {
      gate = undefined;
      open();
    },
    link: {
      prefix: postgres.prefix,
      get isUp() {
        return postgres.isUp;
      },
      async run(statement, values) {
        await gate;
        return postgres.run(statement, values);
      },
      transact: (work) => postgres.transact(work),
      publish: (channel, text) => postgres.publish(channel, text),
      subscribe: (channel, listener) => postgres.subscribe(channel, listener),
      sendTo: (address, text) => postgres.sendTo(address, text),
      receiveAt: (address, listener) => postgres.receiveAt(address, listener),
      onResubscribed: (listener) => postgres.onResubscribed(listener),
    },
  };
}

export function callOf(name: string, args: object = {}): ModernRequest {
  const _meta = { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} };
  return { id: "1", method: "tools/call", params: { name, arguments: args, _meta } as ModernRequest["params"] };
}

/** Acquires a session, again while it is not known who owns it, and returns what the acquisition says. */
export async function acquireSoon(directory: PostgresDirectory, key: string): ReturnType<PostgresDirectory["acquire"]> {
  for (;;) {
    try {
      return await directory.acquire(key);
    } catch (error) {
      const { retryAfterMs } = error as { retryAfterMs?: number };
      if (retryAfterMs === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(retryAfterMs, 20)));
    }
  }
}
