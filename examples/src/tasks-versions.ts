// A handler in its third version, which continues the waiting calls of the second and of no other version.
import type { Client } from "@lethe/client";
import { incompatibleVersionOf } from "@lethe/client";
import { createServer, type Server } from "@lethe/server";
import { z } from "zod";

/** All processes of all versions have the same keys. */
export function createHotel(keys: string): Server {
  return createServer({ name: "hotel", version: "1.0.0" }, { keys }).tool("book", {
    version: "3",
    // It makes the same requests under the same keys. Only its result differs.
    compatibleVersions: ["2"],
    async handler(_, ctx) {
      const { nights } = await ctx.elicit("How many nights?", z.object({ nights: z.int() }), { key: "nights" });
      return `${nights} nights are booked.`;
    },
  });
}

/** Starts the call again if its handler was replaced by an incompatible version while the user answered. */
export async function book(client: Client): Promise<unknown> {
  try {
    return (await client.callTool("book", {})).content;
  } catch (error) {
    if (incompatibleVersionOf(error) === undefined) throw error;
    return (await client.callTool("book", {})).content;
  }
}
