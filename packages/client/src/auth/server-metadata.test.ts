import { describe, expect, test } from "vitest";
import { discoverLegacyServer, discoverServer, processServerMetadata, serverMetadataUrls } from "./server-metadata.ts";

const signal = new AbortController().signal;

/** A fetch that knows these documents. */
function knowing(documents: Record<string, unknown>) {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return url in documents ? Response.json(documents[url]) : new Response(null, { status: 404 });
  };
  return { discovery: { fetch, signal }, asked };
}

test.each<[string, string[]]>([
  ["https://as.example", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]],
  ["https://as.example/", ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]],
  [
    "https://as.example/t",
    [
      "/.well-known/oauth-authorization-server/t",
      "/.well-known/openid-configuration/t",
      "/t/.well-known/openid-configuration",
    ],
  ],
])("the metadata of %s is looked for in order (G-22)", (issuer, paths) => {
  expect(serverMetadataUrls(issuer)).toEqual(paths.map((path) => `https://as.example${path}`));
});

test("an authorization server without https is not contacted (G-43)", () => {
  for (const issuer of ["http://as.example", "ftp://as.example", "as.example", "https://u:p@as.example"]) {
    expect(() => serverMetadataUrls(issuer)).toThrow(expect.objectContaining({ code: "insecure_url" }));
  }
});

describe("the issuer in the metadata is compared as text (G-23)", () => {
  test.each(["https://as.example/", "https://AS.example", "https://evil.example", undefined, 7])("%s", (issuer) => {
    expect(() => processServerMetadata({ issuer }, ["https://as.example"])).toThrow(
      expect.objectContaining({ code: "issuer_mismatch", issuer: "https://as.example" }),
    );
  });

  test("a document of another issuer is skipped in favour of one with the right issuer", async () => {
    const { discovery } = knowing({
      "https://as.example/.well-known/oauth-authorization-server/t": { issuer: "https://as.example" },
      "https://as.example/t/.well-known/openid-configuration": { issuer: "https://as.example/t", token_endpoint: "x" },
    });
    expect(await discoverServer("https://as.example/t", discovery)).toMatchObject({ token_endpoint: "x" });
  });
});

test("malformed members count as absent, and no member becomes a prototype", () => {
  const document = JSON.parse(
    '{"issuer":"https://as.example","token_endpoint":7,"scopes_supported":"a","code_challenge_methods_supported":["S256",1],"grant_types_supported":["x"],"__proto__":["evil"],"mtls_endpoint_aliases":{}}',
  );
  const server = processServerMetadata(document, ["https://as.example"]);
  expect(server).toEqual(expect.objectContaining({ issuer: "https://as.example", grant_types_supported: ["x"] }));
  expect(server.token_endpoint).toBeUndefined();
  expect(server.code_challenge_methods_supported).toBeUndefined();
  expect(Object.getPrototypeOf(server)).toBe(Object.prototype);
});

test("the error for missing metadata names the URLs that were tried", async () => {
  const { discovery, asked } = knowing({});
  const error = await discoverServer("https://as.example/t", discovery).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "invalid_answer", issuer: "https://as.example/t" });
  expect(asked).toHaveLength(3);
  for (const url of asked) expect(error.message).toContain(url);
});

describe("a server of 2025-03-26 is its own authorization server (G-25)", () => {
  const server = new URL("https://s.example/mcp");

  test("metadata of a 2025-03-26 server may name the issuer with a trailing slash", async () => {
    const document = { issuer: "https://s.example/", token_endpoint: "https://s.example/t" };
    const { discovery } = knowing({ "https://s.example/.well-known/oauth-authorization-server": document });
    expect(await discoverLegacyServer(server, discovery)).toEqual(document);
  });

  test("a 2025-03-26 server without metadata uses the default endpoints", async () => {
    expect(await discoverLegacyServer(server, knowing({}).discovery)).toMatchObject({
      issuer: "https://s.example",
      authorization_endpoint: "https://s.example/authorize",
      token_endpoint: "https://s.example/token",
      registration_endpoint: "https://s.example/register",
    });
  });
});
