// Entries of a registry become servers to start or to reach. Hostile entries are rejected.
import type { JsonObject } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { InputValues } from "./fill-inputs.ts";
import { parseEntry } from "./parse-entry.ts";
import { toOffers } from "./to-target.ts";

const name = "io.github.user/weather";

function entryOf(server: JsonObject, meta: JsonObject = {}): JsonObject {
  return {
    server: { name, description: "Weather", version: "1.2.0", ...server },
    _meta: { "io.modelcontextprotocol.registry/official": { status: "active", isLatest: true, ...meta } },
  };
}

function packageOf(members: JsonObject): JsonObject {
  return { registryType: "npm", identifier: "weather-mcp", version: "1.2.0", transport: { type: "stdio" }, ...members };
}

function offerOf(server: JsonObject) {
  const [offer] = toOffers(parseEntry(entryOf(server), name));
  if (!offer) throw new Error("an offer expected");
  return offer;
}

function targetOf(server: JsonObject, given: Record<string, string> = {}, refersToEnvironment = false) {
  const offer = offerOf(server);
  expect(offer.obstacle).toBeUndefined();
  const values = new InputValues(given, refersToEnvironment);
  return { target: offer.toTarget(values), values };
}

describe("a package", () => {
  it.each([
    [{}, "npx", ["-y", "weather-mcp@1.2.0"]],
    [{ registryType: "pypi", runtimeHint: "uvx" }, "uvx", ["weather-mcp@1.2.0"]],
    [{ registryType: "oci", identifier: "ghcr.io/u/w" }, "docker", ["run", "-i", "--rm", "ghcr.io/u/w:1.2.0"]],
    [{ registryType: "oci", identifier: "u/w:2", version: undefined }, "docker", ["run", "-i", "--rm", "u/w:2"]],
    [{ registryType: "nuget", identifier: "A.Weather" }, "dnx", ["A.Weather@1.2.0", "--yes", "--"]],
  ] as [JsonObject, string, string[]][])("%j runs with %s", (members, command, args) => {
    expect(targetOf({ packages: [packageOf(members)] }).target).toEqual({ command, args, env: {} });
  });

  it("gets its arguments and variables, each as one argument", () => {
    const members = {
      packageArguments: [
        { type: "positional", value: "serve" },
        { type: "named", name: "--units", default: "metric" },
        { type: "named", name: "--city", value: "in {city}", variables: { city: { isRequired: true } } },
        { type: "positional", valueHint: "folder", isRequired: true },
        { type: "named", name: "--optional", description: "not given" },
      ],
      environmentVariables: [
        { name: "API_KEY", isRequired: true, isSecret: true },
        { name: "LOG", default: "info" },
      ],
    };
    const given = { city: "New York; rm -rf /", folder: "-x", API_KEY: "k" };
    expect(targetOf({ packages: [packageOf(members)] }, given).target).toEqual({
      command: "npx",
      args: ["-y", "weather-mcp@1.2.0", "serve", "--units", "metric", "--city", "in New York; rm -rf /", "-x"],
      env: { API_KEY: "k", LOG: "info" },
    });
  });

  it("passes variables into a container", () => {
    const members = {
      ...{ registryType: "oci", identifier: "u/w" },
      environmentVariables: [{ name: "API_KEY", isRequired: true }],
      runtimeArguments: [
        { type: "named", name: "-v", value: "{folder}:/data", variables: { folder: { isRequired: true } } },
      ],
    };
    const { target } = targetOf({ packages: [packageOf(members)] }, { API_KEY: "k", folder: "/srv" });
    const args = ["run", "-i", "--rm", "-e", "API_KEY", "-v", "/srv:/data", "u/w:1.2.0"];
    expect(target).toEqual({ command: "docker", args, env: { API_KEY: "k" } });
  });

  it("names missing, unknown and wrong values", () => {
    const environmentVariables = [
      { name: "API_KEY", isRequired: true, description: "from the dashboard" },
      { name: "MODE", choices: ["a", "b"] },
    ];
    const { values } = targetOf({ packages: [packageOf({ environmentVariables })] }, { MODE: "c", OTHER: "1" });
    expect(values.missing).toEqual([{ name: "API_KEY", description: "from the dashboard" }]);
    expect(values.problems).toEqual(['MODE must be one of a, b, got "c"']);
    expect(values.unknown).toEqual(["OTHER"]);
  });

  it("refers to the environment for variables and secrets in the file of a gateway", () => {
    const { target, values } = targetOf(
      {
        remotes: [
          {
            ...{ type: "streamable-http", url: "https://{tenant}.example/mcp" },
            variables: { tenant: { isRequired: true } },
            headers: [{ name: "X-API-Key", isRequired: true, isSecret: true }],
          },
        ],
      },
      { tenant: "acme" },
      true,
    );
    expect(target).toEqual({ url: "https://acme.example/mcp", headers: { "X-API-Key": "${X_API_KEY}" } });
    expect(values.references).toEqual([{ name: "X_API_KEY", description: "" }]);
  });
});

describe("a hostile entry", () => {
  it.each([
    [{ runtimeHint: "bash" }, 'its runtime "bash" is not npx'],
    [{ registryType: "shell" }, 'packages of type "shell" are not supported, only npm, pypi, oci, nuget'],
    [{ registryType: "__proto__" }, 'packages of type "__proto__" are not supported, only npm, pypi, oci, nuget'],
    [{ registryType: "mcpb" }, 'packages of type "mcpb" are not supported, only npm, pypi, oci, nuget'],
    [{ identifier: "--call=touch /tmp/x" }, '"--call=touch /tmp/x" is not the name of a package'],
    [{ identifier: "https://evil.example/x.tgz" }, "is not the name of a package"],
    [{ identifier: "a; rm -rf /" }, "is not the name of a package"],
    [{ identifier: "../x" }, "is not the name of a package"],
    [{ registryType: "oci", identifier: "-v/:/host" }, "is not the name of a package"],
    [{ version: "1 --call x" }, '"1 --call x" is not one version'],
    [{ version: "npm:other" }, "is not one version"],
    [{ registryBaseUrl: "https://evil.example" }, "is not https://registry.npmjs.org"],
    [{ runtimeArguments: [{ type: "named", name: "-c", value: "touch x" }] }, 'it sets the option "touch x" of npx'],
    [{ runtimeArguments: [{ type: "positional", value: "evil" }] }, 'it sets the option "evil" of npx'],
    [
      { registryType: "oci", runtimeArguments: [{ type: "named", name: "--privileged" }] },
      'it sets the option "--privileged" of docker',
    ],
    [{ environmentVariables: [{ name: "A=B" }] }, '"A=B" is not the name of an environment variable'],
    [{ transport: { type: "streamable-http", url: "http://localhost" } }, "it serves streamable-http and not stdio"],
  ] as [JsonObject, string][])("with %j is not used", (members, obstacle) => {
    expect(offerOf({ packages: [packageOf(members)] }).obstacle).toContain(obstacle);
  });

  it.each([
    [{ type: "streamable-http", url: "http://a.example/mcp" }, "not an https URL"],
    [{ type: "streamable-http", url: "file:///etc/passwd" }, "not an https URL"],
    [{ type: "streamable-http", url: "https://a:b@a.example" }, "contains credentials"],
    [{ type: "websocket", url: "https://a.example" }, 'its transport "websocket" is unknown'],
    [{ type: "sse", url: "https://a.example", headers: [{ name: "A: B\\r" }] }, "is not the name of a header"],
  ] as [JsonObject, string][])("with the remote server %j is not used", (remote, obstacle) => {
    expect(offerOf({ remotes: [remote] }).obstacle).toContain(obstacle);
  });

  it.each([
    [{ packages: [packageOf({ packageArguments: [{ type: "positional", value: "${AWS_SECRET}" }] })] }, "${…}"],
    [{ packages: [packageOf({ identifier: "a\u001b[2Jb" })] }, "control characters are not allowed"],
    [{ packages: [packageOf({ identifier: "a\u202eb" })] }, "control characters are not allowed"],
    [{ packages: [packageOf({ identifier: "a".repeat(5_000) })] }, "a text of 1 to 4096 characters"],
    [{ packages: Array.from({ length: 101 }, () => packageOf({})) }, "at most 100 items"],
    [{ packages: "npx evil" }, "at most 100 items"],
    [{ packages: [null] }, "server.packages[0]: an object expected"],
    [{ packages: [packageOf({ packageArguments: [{ type: "shell", value: "x" }] })] }, '"named" or "positional"'],
    [{ name: "io.github.other/weather" }, '"io.github.user/weather" expected'],
    [{ version: { a: 1 } }, "server.version"],
  ] as [JsonObject, string][])("%# is rejected with the member that is wrong", (server, message) => {
    expect(() => parseEntry(entryOf(server), name)).toThrow(message);
  });

  it("that was deleted is rejected, and a deprecated one has a warning", () => {
    expect(() => parseEntry(entryOf({}, { status: "deleted" }), name)).toThrow("the registry has deleted");
    const { warning } = parseEntry(entryOf({}, { status: "deprecated", statusMessage: "use\u001b[1m v2" }), name);
    expect(warning).toBe("deprecated: use\\u001b[1m v2");
  });
});
