// Who gets to see what operators see.
import type { RouteRequest } from "@lethe/server/edge";
import { describe, expect, it } from "vitest";
import { createAdminAccess } from "./access.ts";

function requestOf(headers: Record<string, string> = {}, isLoopback = true): RouteRequest {
  const all: Record<string, string> = { host: "localhost:3000", ...headers };
  return { verb: "GET", url: "/admin", headers: (name) => all[name], remoteAddress: "192.0.2.1", isLoopback };
}

const key = "key-of-admin-0123456789";

describe("access to the administration", () => {
  it.each<[string, RouteRequest, number | undefined]>([
    ["from this machine is open", requestOf(), undefined],
    ["from elsewhere is closed", requestOf({}, false), 403],
    ["through a proxy on this machine is closed", requestOf({ "x-forwarded-for": "203.0.113.7" }), 403],
    ["through a proxy that says so otherwise is closed", requestOf({ forwarded: "for=203.0.113.7" }), 403],
    ["through nginx is closed", requestOf({ "x-real-ip": "203.0.113.7" }), 403],
    ["through a proxy that names itself only is closed", requestOf({ via: "1.1 proxy" }), 403],
    [
      "with a token that nobody asked for is what it was without",
      requestOf({ authorization: `Bearer ${key}` }, false),
      403,
    ],
    ["by a page of our own is open", requestOf({ origin: "http://localhost:3000" }), undefined],
    ["by another page of this machine is closed", requestOf({ origin: "http://localhost:5173" }), 403],
    [
      "by a page that has rebound its name to this machine is closed",
      requestOf({ host: "evil.example:3000", origin: "http://evil.example:3000" }),
      403,
    ],
    ["under a name that is not this machine's is closed", requestOf({ host: "evil.example:3000" }), 403],
    ["by its address is open", requestOf({ host: "127.0.0.1:3000" }), undefined],
    ["by its address of IPv6 is open", requestOf({ host: "[::1]" }), undefined],
    ["by a page without an origin is closed", requestOf({ origin: "null" }), 403],
  ])("administration without a key: a request %s", async (_name, request, status) => {
    expect((await createAdminAccess()(request))?.status).toBe(status);
  });

  it.each<[string, RouteRequest, number | undefined]>([
    ["is closed to this machine as well", requestOf(), 401],
    ["is closed to a wrong one", requestOf({ authorization: "Bearer wrong-key-0123456789" }), 401],
    [
      "is open to it from everywhere",
      requestOf({ authorization: `Bearer ${key}`, forwarded: "for=x" }, false),
      undefined,
    ],
    [
      "is closed to foreign pages that have it",
      requestOf({ authorization: `Bearer ${key}`, origin: "https://evil.example" }),
      403,
    ],
  ])("administration with a key %s", async (_name, request, status) => {
    expect((await createAdminAccess({ key })(request))?.status).toBe(status);
  });
});
