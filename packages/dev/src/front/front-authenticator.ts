// Authenticates with the code of the author. The command itself only knows what a rejected client must be told.
import type { JsonObject } from "@lethe/protocol";
import type { Caller } from "@lethe/server/auth";
import { type Authenticator, createAuthenticator, createKeyAuthenticator } from "@lethe/server/auth";
import type { LoadedServer } from "../channel/runner-messages.ts";

export type Ask = <T>(name: string, params: unknown) => Promise<T>;

export function createFrontAuthenticator(
  { metadata, metadataPaths }: NonNullable<LoadedServer["authenticator"]>,
  ask: Ask,
): Authenticator {
  const { challenge } = toChallenger(metadata as (JsonObject & { resource?: unknown }) | undefined);
  return {
    authenticate: (authorization) => ask<Caller>("authenticate", authorization ?? null),
    challenge,
    metadata,
    metadataPaths,
  };
}

/** Authenticates no caller: it only writes the WWW-Authenticate header. */
function toChallenger(metadata: { resource?: unknown; authorization_servers?: unknown } | undefined): Authenticator {
  if (typeof metadata?.resource !== "string") return createKeyAuthenticator([]);
  const authorizationServers = (metadata.authorization_servers ?? []) as string[];
  return createAuthenticator({ resource: metadata.resource, authorizationServers, verify: async () => undefined });
}
