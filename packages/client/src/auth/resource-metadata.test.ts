import { expect, test, vi } from "vitest";
import {
  canonicalResource,
  discoverResource,
  identifiesServer,
  processResourceMetadata,
  resourceMetadataUrls,
} from "./resource-metadata.ts";

const wellKnown = "https://s.example/.well-known/oauth-protected-resource";

test.each<[string, string | undefined, string[]]>([
  ["https://s.example/mcp", undefined, [`${wellKnown}/mcp`, wellKnown]],
  ["https://s.example/a/b/", undefined, [`${wellKnown}/a/b`, wellKnown]],
  ["https://s.example/mcp?t=1", undefined, [`${wellKnown}/mcp?t=1`, wellKnown]],
  ["https://s.example/", undefined, [wellKnown]],
  ["https://s.example/mcp", "https://s.example/custom", ["https://s.example/custom", `${wellKnown}/mcp`, wellKnown]],
  ["https://s.example/mcp", `${wellKnown}/mcp`, [`${wellKnown}/mcp`, wellKnown]],
])("the metadata of %s, with %s in the challenge, is looked for in order (G-20)", (server, given, expected) => {
  expect(resourceMetadataUrls(new URL(server), given, () => {})).toEqual(expected);
});

test("a metadata URL on another origin, or an invalid one, is not followed (G-20, G-51)", () => {
  for (const given of ["https://evil.example/m", "http://s.example/m", "http://169.254.169.254/latest", "/m", ""]) {
    const onWarning = vi.fn();
    expect(resourceMetadataUrls(new URL("https://s.example/mcp"), given, onWarning)).toEqual([
      `${wellKnown}/mcp`,
      wellKnown,
    ]);
    expect(onWarning).toHaveBeenCalledOnce();
  }
});

test.each<[string, string, boolean]>([
  ["https://s.example/mcp", "https://s.example/mcp", true],
  ["https://s.example", "https://s.example/mcp", true],
  ["https://s.example/", "https://s.example/mcp", true],
  ["https://S.example/mcp", "https://s.example/mcp", true],
  ["https://s.example/a", "https://s.example/a/mcp", true],
  ["https://s.example/mcp/", "https://s.example/mcp", true],
  ["https://s.example/mc", "https://s.example/mcp", false],
  ["https://s.example/other", "https://s.example/mcp", false],
  ["https://s.example/mcp/deeper", "https://s.example/mcp", false],
  ["http://s.example/mcp", "https://s.example/mcp", false],
  ["https://s.example:8443/mcp", "https://s.example/mcp", false],
  ["https://evil.example/mcp", "https://s.example/mcp", false],
  ["https://s.example/mcp#x", "https://s.example/mcp", false],
  ["https://s.example/mcp?t=2", "https://s.example/mcp?t=1", false],
  ["/mcp", "https://s.example/mcp", false],
])("the resource %s for the server %s: %s (G-21)", (resource, server, expected) => {
  expect(identifiesServer(resource, new URL(server))).toBe(expected);
});

test("the canonical resource has neither a trailing slash nor a fragment (G-41)", () => {
  expect(canonicalResource(new URL("https://S.example:443/#x"))).toBe("https://s.example");
  expect(canonicalResource(new URL("https://s.example/mcp?t=1"))).toBe("https://s.example/mcp?t=1");
});

test("metadata without authorization servers is an error; malformed members count as absent", () => {
  const server = new URL("https://s.example/mcp");
  const resource = "https://s.example/mcp";
  for (const authorization_servers of [undefined, [], [7], "https://as.example"]) {
    expect(() => processResourceMetadata({ resource, authorization_servers }, server)).toThrow(
      /names no authorization server/,
    );
  }
  const metadata = { resource, authorization_servers: ["https://as.example", 7], scopes_supported: "a" };
  expect(processResourceMetadata(metadata, server)).toEqual({
    resource,
    authorizationServers: ["https://as.example"],
    scopes: undefined,
    requiresDpop: false,
  });
});

test("a failing server does not count as a server without metadata", async () => {
  const discover = (status: number) =>
    discoverResource(new URL("https://s.example/mcp"), {
      fetch: async () => new Response("gone", { status }),
      signal: new AbortController().signal,
      resourceMetadata: undefined,
      onWarning: () => {},
    });
  expect(await discover(404)).toBeUndefined();
  expect(await discover(405)).toBeUndefined();
  await expect(discover(503)).rejects.toMatchObject({ code: "invalid_answer", status: 503 });
  await expect(discover(200)).rejects.toMatchObject({ code: "invalid_answer" });
});
