// 127.0.0.2 to 127.0.0.9 stand for the internet: servers there speak TLS, and their names resolve through the test.
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { clientCredentials } from "../auth/client-credentials.ts";
import { createAuthorizer } from "../auth/create-authorizer.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";
import type { AddressRules } from "./public-fetch.ts";
import { createCertificate } from "./testing/certificate.ts";

const tls = createCertificate("mcp.example", "as.example", "login.internal", "victim.internal");

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Running {
  readonly url: string;
  /** What it was asked: "GET /x". */
  readonly seen: string[];
}

/** At `address`, under `name` if it has one. */
async function start(address: string, name: string | undefined, listener: RequestListener): Promise<Running> {
  const seen: string[] = [];
  const answer: RequestListener = (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    listener(request, response);
  };
  const isSecure = name !== undefined;
  const server = isSecure ? createHttpsServer(tls, answer) : createHttpServer(answer);
  await once(server.listen(0, address), "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  if (name !== undefined) addresses[name] = [address];
  return { url: `http${isSecure ? "s" : ""}://${name ?? address}:${(server.address() as AddressInfo).port}`, seen };
}

/** What names resolve to; a function is asked anew for each connection. */
const addresses: Record<string, string[] | (() => string[])> = {};
const isInternet = (address: string) => /^127\.0\.0\.[2-9]$/.test(address);
const rules: AddressRules = {
  isPublic: isInternet,
  isPrivate: (address) => !isInternet(address),
  lookup(hostname, { all }, callback) {
    const found = addresses[hostname];
    const list = (typeof found === "function" ? found() : (found ?? [])).map((address) => ({ address, family: 4 }));
    const [first] = list;
    if (!first) callback(Object.assign(new Error(`no address of ${hostname}`), { code: "ENOTFOUND" }), []);
    else if (all) callback(null, list);
    else callback(null, first.address, 4);
  },
};

const guard = (options: GuardedFetchOptions) =>
  createGuardedFetch(options, { rules, tls: { ca: tls.cert }, findProxy: () => undefined });
const ok: RequestListener = (_, response) => response.end("{}");
const read = async (response: Promise<Response>) => (await response).text();

describe("URLs named by a public server", () => {
  test("a public server may name other public servers, over https", async () => {
    const server = await start("127.0.0.2", "mcp.example", ok);
    const other = await start("127.0.0.3", "as.example", ok);
    const fetch = guard({ server: server.url });
    await read(fetch(`${server.url}/a`, {}));
    expect(await read(fetch(`${other.url}/b`, { method: "POST", body: new URLSearchParams({ a: "b" }) }))).toBe("{}");
    expect(other.seen).toEqual(["POST /b"]);
    await read(fetch(`${server.url}/c`, {}));
    expect(server.seen).toEqual(["GET /a", "GET /c"]);
  });

  test.each([
    ["a loopback address", (port: string) => `http://127.0.0.1:${port}/`],
    ["the name of this machine", (port: string) => `http://localhost:${port}/`],
    ["a number that means this machine", (port: string) => `http://2130706433:${port}/`],
    ["a private address over https", (port: string) => `https://127.0.0.1:${port}/`],
    ["the metadata address of clouds", () => "https://169.254.169.254/latest/meta-data"],
    ["IPv4 in IPv6", (port: string) => `https://[::ffff:127.0.0.1]:${port}/`],
    ["a name with a private address", (port: string) => `https://rebound.internal:${port}/`],
    ["a name with a public and a private address", (port: string) => `https://both.example:${port}/`],
    ["http at a public address", (port: string) => `http://both.example:${port}/`],
  ])("does not lead to %s", async (_, toUrl) => {
    const server = await start("127.0.0.2", "mcp.example", ok);
    const victim = await start("127.0.0.1", undefined, ok);
    addresses.localhost = ["127.0.0.1"];
    addresses["rebound.internal"] = ["127.0.0.1"];
    addresses["both.example"] = ["127.0.0.2", "127.0.0.1"];
    const fetch = guard({ server: server.url });
    await read(fetch(server.url, {}));
    await expect(fetch(toUrl(new URL(victim.url).port), {})).rejects.toThrow(/not public|only https/);
    expect(victim.seen).toEqual([]);
  });

  test("a public server cannot reach a private address by a name that changes its address (DNS rebinding)", async () => {
    const server = await start("127.0.0.2", "mcp.example", ok);
    const victim = await start("127.0.0.1", "victim.internal", ok);
    const { port } = new URL(victim.url);
    const turns = [["127.0.0.3"], ["127.0.0.1"]];
    let lookups = 0;
    addresses["moving.example"] = () => turns[lookups++] ?? ["127.0.0.1"];
    const fetch = guard({ server: server.url });
    await read(fetch(server.url, {}));
    // Nothing listens at the first address.
    await expect(fetch(`https://moving.example:${port}/`, {})).rejects.toThrow("ECONNREFUSED");
    await expect(fetch(`https://moving.example:${port}/`, {})).rejects.toThrow("not public");
    expect(lookups).toBe(2);
    expect(victim.seen).toEqual([]);
  });

  test("a redirect of a public server is not followed", async () => {
    const victim = await start("127.0.0.1", undefined, ok);
    const server = await start("127.0.0.2", "mcp.example", (_, response) =>
      response.writeHead(302, { location: victim.url }).end(),
    );
    const response = await guard({ server: server.url })(server.url, {});
    expect(response.status).toBe(302);
    expect(victim.seen).toEqual([]);
  });

  test("the authorization server that the host configured is reachable even for a public server", async () => {
    const server = await start("127.0.0.2", "mcp.example", ok);
    const login = await start("127.0.0.1", "login.internal", ok);
    const fetch = guard({ server: server.url, trusted: [`${login.url}/realms/a`] });
    await read(fetch(server.url, {}));
    expect(await read(fetch(`${login.url}/token`, {}))).toBe("{}");
  });

  test("a public server cannot end the process with an invalid status", async () => {
    const server = await start("127.0.0.2", "mcp.example", (request) => {
      request.socket.end("HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\n{}");
    });
    await expect(guard({ server: server.url })(server.url, {})).rejects.toThrow(RangeError);
  });
});

describe("URLs named by a server on this machine or network", () => {
  test("a local server may name local and public servers", async () => {
    const server = await start("127.0.0.1", undefined, ok);
    const near = await start("127.0.0.1", undefined, ok);
    const far = await start("127.0.0.2", "as.example", ok);
    const fetch = guard({ server: server.url });
    for (const { url } of [server, near, far]) expect(await read(fetch(url, {}))).toBe("{}");
  });

  test("documents of a public authorization server lead to public addresses only", async () => {
    const server = await start("127.0.0.1", undefined, ok);
    const victim = await start("127.0.0.1", undefined, ok);
    const far = await start("127.0.0.2", "as.example", ok);
    const fetch = guard({ server: server.url });
    for (const { url } of [server, far]) await read(fetch(url, {}));
    await expect(fetch(victim.url, {})).rejects.toThrow("only https");
    expect(await read(fetch(server.url, {}))).toBe("{}");
    expect(victim.seen).toEqual([]);
  });
});

describe("an authorizer with the guarded fetch", () => {
  /** A public server names `issuer`; the result is the error of the first refusal. */
  async function refusalOf(issuer: string, metadata: Record<string, string> = {}) {
    const server = await start("127.0.0.2", "mcp.example", (request, response) => {
      const origin = `https://${request.headers.host}`;
      const isResource = request.url?.startsWith("/.well-known/oauth-protected-resource");
      const own = { issuer: origin, token_endpoint: `${origin}/token`, ...metadata };
      const document = isResource ? { resource: origin, authorization_servers: [issuer || origin] } : own;
      response.end(JSON.stringify(document));
    });
    const grant = clientCredentials({ client: { clientId: "me", clientSecret: "SECRET" } });
    const fetch = guard({ server: server.url, trusted: grant.trustedUrls });
    const authorizer = createAuthorizer(server.url, { grant, fetch, onWarning: () => {} });
    const request = { url: new URL(server.url), method: "POST" };
    return authorizer.onUnauthorized({ request, sent: {}, status: 401, headers: () => undefined, operation: "x" }).then(
      () => undefined,
      (error: Error) => error,
    );
  }

  test("an authorization server at a private address is not asked for its metadata", async () => {
    const victim = await start("127.0.0.1", undefined, ok);
    expect(await refusalOf(victim.url)).toMatchObject({ code: "invalid_answer" });
    expect(victim.seen).toEqual([]);
  });

  test("a token endpoint at a private address receives no secret", async () => {
    const victim = await start("127.0.0.1", undefined, ok);
    const error = await refusalOf("", { token_endpoint: `${victim.url}/token` });
    expect(error).toMatchObject({ code: "invalid_answer" });
    expect(victim.seen).toEqual([]);
  });
});
