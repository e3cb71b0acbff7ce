// The protected resource metadata (G-2): its content and where it is found.
import { expect, test } from "vitest";
import { metadataHeaders, metadataPathsOf, metadataUrlOf, toResourceMetadata } from "./resource-metadata.ts";

const authorizationServers = ["https://login.example"];

test("the metadata document contains the resource exactly as configured (G-2)", () => {
  for (const resource of ["https://a.example", "https://a.example/", "https://a.example/mcp"]) {
    expect(toResourceMetadata({ resource, authorizationServers, scopesSupported: ["a"] })).toEqual({
      resource,
      authorization_servers: ["https://login.example"],
      scopes_supported: ["a"],
      bearer_methods_supported: ["header"],
    });
  }
});

test("serves the metadata document under the path of the resource and at the root (G-2)", () => {
  const root = "/.well-known/oauth-protected-resource";
  expect(metadataPathsOf(new URL("https://a.example/mcp/x"))).toEqual([`${root}/mcp/x`, root]);
  expect(metadataPathsOf(new URL("https://a.example"))).toEqual([root]);
  expect(metadataUrlOf(new URL("https://a.example:8443/mcp?team=1"))).toBe(`https://a.example:8443${root}/mcp?team=1`);
});

test("allows any origin to read the metadata document, and allows caching (G-2)", () => {
  expect(metadataHeaders).toMatchObject({
    "access-control-allow-origin": "*",
    "cache-control": "public, max-age=3600",
  });
});

test("rejects a resource configuration that no client could use at creation", () => {
  const resource = "https://a.example/mcp";
  const refused = [
    { resource: "/mcp", authorizationServers },
    { resource: `${resource}#part`, authorizationServers },
    { resource, authorizationServers: [] },
    { resource, authorizationServers: ["http://login.example"] },
    { resource, authorizationServers, scopesSupported: ["offline_access"] },
  ];
  for (const options of refused) expect(() => toResourceMetadata(options)).toThrow(TypeError);
});

test("accepts an http URL for an authorization server on this machine", () => {
  const local = { resource: "http://localhost:3000/mcp", authorizationServers: ["http://127.0.0.1:4000"] };
  expect(toResourceMetadata(local).authorization_servers).toEqual(["http://127.0.0.1:4000"]);
});
