// Whether a stand-by can replace its primary: only one that has the data of its primary is promoted.
import type { Redis } from "ioredis";

export async function isLinked(client: Redis): Promise<boolean> {
  return String(await client.info("replication")).includes("master_link_status:up");
}
