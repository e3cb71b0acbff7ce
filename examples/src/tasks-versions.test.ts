// The example of versions: a server is replaced while a call waits for the user.
import { connect } from "@lethe/client";
import { createServer, type Server } from "@lethe/server";
import { expect, it } from "vitest";
import { z } from "zod";
import { book, createHotel } from "./tasks-versions.ts";

const keys = `k1:${Buffer.alloc(32, 7).toString("base64url")}`;

function createEarlier(version: string): Server {
  return createServer({ name: "hotel", version: "1.0.0" }, { keys }).tool("book", {
    version,
    async handler(_, ctx) {
      const { nights } = await ctx.elicit("How many nights?", z.object({ nights: z.int() }), { key: "nights" });
      return String(nights);
    },
  });
}

it.each([
  ["2", 1],
  ["1", 2],
])("a call that waits in version %s ends in version 3 after %i requests for input", async (version, expected) => {
  let server = createEarlier(version);
  let count = 0;
  const client = await connect(
    { dispatch: (request, exchange) => server.dispatch(request, exchange) },
    {
      elicit() {
        count += 1;
        server = createHotel(keys);
        return { action: "accept", content: { nights: 2 } };
      },
    },
  );
  expect(await book(client)).toEqual([{ type: "text", text: "2 nights are booked." }]);
  expect(count).toBe(expected);
  await client.close();
});
