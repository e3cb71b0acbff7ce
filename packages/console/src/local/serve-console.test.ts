// The local server of the console: what it forwards, and for whom.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ServedConsole, serveConsole } from "./serve-console.ts";

let gateway: Server;
let served: ServedConsole;
const seen: { url: string | undefined; headers: IncomingMessage["headers"] }[] = [];

beforeEach(async () => {
  seen.length = 0;
  gateway = createServer((incoming, response) => {
    seen.push({ url: incoming.url, headers: incoming.headers });
    response.writeHead(200, { "Set-Cookie": "a=b", "X-Kept": "yes" });
    response.write("first");
    incoming.on("data", (data) => response.write(data)).on("end", () => response.end());
  });
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  const url = new URL(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}/mcp`);
  served = await serveConsole({ gateway: url, settings: { admin: "/admin/v1", mcp: "/mcp" } });
});
afterEach(async () => {
  await served.close();
  gateway.closeAllConnections();
  gateway.close();
});

/** fetch sets Host itself, so the request is sent by hand. */
async function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request(new URL(path, served.url), { headers });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

it("forwards requests below the paths of the gateway, without cookies and the origin of the page", async () => {
  const { origin } = new URL(served.url);
  const headers = { origin, cookie: "c=d", authorization: "Bearer key" };
  const response = await fetch(new URL("/mcp/files?x=1", served.url), { method: "POST", headers, body: "second" });
  expect(await response.text()).toBe("firstsecond");
  expect([response.headers.get("x-kept"), response.headers.get("set-cookie")]).toEqual(["yes", null]);
  expect(seen[0]?.url).toBe("/mcp/files?x=1");
  expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer key" });
  expect(Object.keys(seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(["cookie"]));
  expect(seen[0]?.headers.origin).toBeUndefined();
});

it("forwards nothing else", async () => {
  expect(await statusOf("/admin", {})).toBe(404);
  expect(await statusOf("/metrics", {})).toBe(404);
  expect(seen).toEqual([]);
});

it.each([
  ["a page of another origin", { origin: "https://evil.example" }],
  ["a page whose name was rebound to this machine", { host: "evil.example" }],
])("refuses %s", async (_name, headers) => {
  expect(await statusOf("/admin/v1/overview", headers)).toBe(403);
  expect(seen).toEqual([]);
});

it("says which gateway cannot be reached", async () => {
  gateway.closeAllConnections();
  gateway.close();
  await once(gateway, "close");
  const response = await fetch(new URL("/mcp", served.url));
  expect([response.status, await response.text()]).toEqual([502, expect.stringContaining("cannot be reached")]);
});
