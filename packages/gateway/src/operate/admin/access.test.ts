// Who gets to see what operators see.
import type { RouteRequest } from "@lethe/server/edge";
import { describe, expect, it } from "vitest";
import { createAdminAccess } from "./access.ts";

function requestOf(headers: Record<string, string> = {}, isLoopback = true): RouteRequest {
  const all: Record<string, string> = { host: "localhost:3000", ...headers };
  return { verb: "GET", url: "/admin/v1", headers: (name) => all[name], remoteAddress: "192.0.2.1", isLoopback };
}

const key = "key-of-admin-0123456789";

describe("access to the administration", () => {
  it.each<[string, RouteRequest, number | undefined]>([
    ["from this machine is allowed", requestOf(), undefined],
    ["from elsewhere is rejected", requestOf({}, false), 403],
    ["through a proxy on this machine is rejected", requestOf({ "x-forwarded-for": "203.0.113.7" }), 403],
    ["through a proxy that says so otherwise is rejected", requestOf({ forwarded: "for=203.0.113.7" }), 403],
    ["through nginx is rejected", requestOf({ "x-real-ip": "203.0.113.7" }), 403],
    ["through a proxy that names itself only is rejected", requestOf({ via: "1.1 proxy" }), 403],
    ["with an unneeded token is treated as without it", requestOf({ authorization: `Bearer ${key}` }, false), 403],
    ["by a page of our own is allowed", requestOf({ origin: "http://localhost:3000" }), undefined],
    ["by another page of this machine is rejected", requestOf({ origin: "http://localhost:5173" }), 403],
    [
      "by a page that has rebound its name to this machine is rejected",
      requestOf({ host: "evil.example:3000", origin: "http://evil.example:3000" }),
      403,
    ],
    ["under a name that is not this machine's is rejected", requestOf({ host: "evil.example:3000" }), 403],
    ["by its address is allowed", requestOf({ host: "127.0.0.1:3000" }), undefined],
    ["by its address of IPv6 is allowed", requestOf({ host: "[::1]" }), undefined],
    ["by a page without an origin is rejected", requestOf({ origin: "null" }), 403],
  ])("administration without a key: a request %s", async (_name, request, status) => {
    expect((await createAdminAccess()(request))?.status).toBe(status);
  });

  it.each<[string, RouteRequest, number | undefined]>([
    ["rejects requests from this machine without it", requestOf(), 401],
    ["rejects a wrong key", requestOf({ authorization: "Bearer wrong-key-0123456789" }), 401],
    ["accepts it from everywhere", requestOf({ authorization: `Bearer ${key}`, forwarded: "for=x" }, false), undefined],
    [
      "rejects pages of other origins that send it",
      requestOf({ authorization: `Bearer ${key}`, origin: "https://evil.example" }),
      403,
    ],
  ])("administration with a key %s", async (_name, request, status) => {
    expect((await createAdminAccess({ key })(request))?.status).toBe(status);
  });
});
