// Lists and contents are kept as long as the server allows. Clients may share what they keep, and what they found out.
import { type Client, type ConnectTarget, createResponseCache, createVerdictMemory } from "@lethe/client";
import { connect } from "@lethe/client/node";

const cache = createResponseCache({ maxEntries: 500, maxTtlMs: 3_600_000 });
const verdicts = createVerdictMemory();

/** `user` names who the client acts for: private results are shared with nobody else. */
export function connectFor(user: string, target: ConnectTarget): Promise<Client> {
  return connect(target, { cache, cachePartition: user, verdicts });
}

/** Asks the server once, however often it is called while the list is fresh. */
export async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).map(({ name }) => name);
}
