// Clients cache lists and contents as long as the server allows. They may share the cache and the detected eras.
import { type Client, type ConnectTarget, createResponseCache, createVerdictMemory } from "@lethe/client";
import { connect } from "@lethe/client/node";

const cache = createResponseCache({ maxEntries: 500, maxTtlMs: 3_600_000 });
const verdicts = createVerdictMemory();

/** `user` is the user of the client. Clients of other users do not share its private results. */
export function connectFor(user: string, target: ConnectTarget): Promise<Client> {
  return connect(target, { cache, cachePartition: user, verdicts });
}

/** Sends one request while the list is fresh, for any number of calls. */
export async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).map(({ name }) => name);
}
