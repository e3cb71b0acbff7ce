// The client of the admin API, against a server that answers what the test says.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { CommandError } from "../exit-code.ts";
import { AdminClient, ConnectionLost } from "./admin-client.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});
const { signal } = new AbortController();

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the client of the admin API", () => {
  it("asks below /admin/v1 of the origin, with the key", async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve(({ url: path, headers }, response) => {
      seen.push(path, headers.authorization);
      response.end('{"state":"serving"}');
    });
    const client = new AdminClient({ url: `${url}/mcp`, key: "k".repeat(16) });
    expect(await client.get("/overview", signal)).toEqual({ state: "serving" });
    expect(seen).toEqual(["/admin/v1/overview", `Bearer ${"k".repeat(16)}`]);
  });

  it.each([
    [401, /needs its admin key .*--admin-key, or LETHE_ADMIN_KEY/],
    [403, /refuses administration from here: only here/],
    [404, /is no Lethe gateway, or its administration has another port/],
    [422, /answers 422: only here/],
  ])("says what to do when the gateway answers %s", async (status, message) => {
    const url = await serve((_request, response) => response.writeHead(status).end('{"error":"only here"}'));
    const asked = new AdminClient({ url }).get("/overview", signal);
    await expect(asked).rejects.toThrow(message);
    await expect(asked).rejects.toBeInstanceOf(CommandError);
  });

  it("may try again after a status that passes, and where nothing listens", async () => {
    const url = await serve((_request, response) => response.writeHead(503).end());
    await expect(new AdminClient({ url }).get("/overview", signal)).rejects.toBeInstanceOf(ConnectionLost);
    const nowhere = new AdminClient({ url: "http://127.0.0.1:9" });
    await expect(nowhere.get("/overview", signal)).rejects.toBeInstanceOf(ConnectionLost);
  });

  it("reads events until the stream ends, and continues after the last one", async () => {
    const url = await serve(({ headers }, response) => {
      const after = Number(headers["last-event-id"] ?? 0);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`event: exchange\nid: ${after + 1}\ndata: {}\n\n`);
    });
    const client = new AdminClient({ url });
    let last: string | undefined;
    for (const expected of ["1", "2"]) {
      const read = async () => {
        for await (const { id } of client.events("/events", last, signal)) last = id;
      };
      await expect(read()).rejects.toBeInstanceOf(ConnectionLost);
      expect(last).toBe(expected);
    }
  });
});
