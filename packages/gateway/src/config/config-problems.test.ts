// What is said about each mistake: the file and line, the key, what was expected, what came.
import { basename, dirname } from "node:path";
import { findWorkersProblem } from "@lethe/server/workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.ts";
import { parseSourceFile } from "./source-file.ts";
import { toConfig } from "./to-config.ts";
import type { Environment } from "./variables.ts";

function read(...values: unknown[]) {
  const files = values.map((value, index) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return parseSourceFile(index === 0 ? "servers.json" : `more-${index}.json`, text);
  });
  return toConfig(files, { environment: { KEY: "0123456789abcdef" } });
}

function problemsOf(...values: unknown[]): readonly string[] {
  try {
    read(...values);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const server = (entry: unknown) => ({ mcpServers: { a: entry } });
const gateway = (block: unknown) => ({
  mcpServers: { files: { command: "x" }, gh: { url: "https://h/mcp" } },
  gateway: block,
});

describe("problems in servers of a configuration", () => {
  it.each([
    ["", "servers.json:1: is not JSON: value expected"],
    ["{", "servers.json:1: is not JSON: close brace expected"],
    ['{\n "mcpServers": {\n  "a" 1\n }\n}', "servers.json:3: is not JSON: colon expected"],
    [[], "servers.json: must hold one JSON object, got an array"],
    [{}, 'servers.json: must have "mcpServers", or "servers" as in VS Code, got neither'],
    [{ mcpServers: [] }, "servers.json:2: mcpServers must be an object that maps names to servers, got an array"],
    [{ mcp: { servers: 1 } }, "servers.json:3: mcp.servers must be an object that maps names to servers, got a number"],
    [{ mcpServers: {} }, "servers.json: must name at least one server that is not disabled"],
    [server(1), "servers.json:3: mcpServers.a must be an object, got a number"],
    [
      server({}),
      'servers.json:3: mcpServers.a must have a "command" (a local server), a "url" (a remote one) or "openapi" (an HTTP API)',
    ],
    [server({ command: 1 }), "servers.json:4: mcpServers.a.command must be a string, got a number"],
    [
      server({ command: "x", args: "y" }),
      "servers.json:5: mcpServers.a.args must be an array of strings, got a string",
    ],
    [server({ command: "x", args: ["y", 1] }), "servers.json:7: mcpServers.a.args[1] must be a string, got a number"],
    [server({ command: "x", env: { K: true } }), "servers.json:6: mcpServers.a.env.K must be a string, got a boolean"],
    [server({ command: "x", cwd: 1 }), "servers.json:5: mcpServers.a.cwd must be a string, got a number"],
    [server({ command: "${NOPE:-}" }), "servers.json:4: mcpServers.a.command must not be empty"],
    [server({ command: "x", timeout: -1 }), "servers.json:5: mcpServers.a.timeout must be a number above 0, got -1"],
    [
      server({ command: "x", timeout: "1" }),
      "servers.json:5: mcpServers.a.timeout must be a number above 0, got a string",
    ],
    [
      server({ command: "x", disabled: 1 }),
      "servers.json:5: mcpServers.a.disabled must be true or false, got a number",
    ],
    [server({ url: "ftp://x" }), 'servers.json:4: mcpServers.a.url must be an http or https URL, got "ftp://x"'],
    [server({ type: "http" }), "servers.json:3: mcpServers.a.url must be an http or https URL, got nothing"],
    [server({ type: "stdio" }), "servers.json:3: mcpServers.a.command must be a string, got nothing"],
    [
      server({ type: "websocket", url: "https://h" }),
      'servers.json:4: mcpServers.a.type must be "stdio", "http", "streamable-http" or "sse", got "websocket"',
    ],
    [
      { mcpServers: { "server-card": { command: "x" } } },
      "servers.json:3: mcpServers.server-card has a name that the gateway reserves for the path /mcp/server-card; rename the server",
    ],
    [
      '{ "mcpServers": { "a": { "command": "x" },\n "a": { "command": "y" } } }',
      "servers.json:2: mcpServers.a is set more than once; keep one of them",
    ],
    [
      '{ "mcpServers": { "a": { "command": "x" } },\n "gateway": { "policy": [{ "effect": "deny",\n "effect": "allow" }] } }',
      "servers.json:3: gateway.policy[0].effect is set more than once; keep one of them",
    ],
    [
      '{ "mcpServers": { "a": { "command": "x" } },\n "mcpServers": { "b": { "command": "y" } } }',
      "servers.json:2: mcpServers is set more than once; keep one of them",
    ],
    [
      { mcpServers: { "a b": { command: "x" }, "a-b": { command: "y" } } },
      "servers.json:6: mcpServers.a-b would have the name a-b, like the one at servers.json:3: mcpServers.a b; rename one of them",
    ],
  ])("reports the problem of the gateway block %j", (value, expected) => {
    expect(problemsOf(value)).toEqual([expected]);
  });

  it("reports all problems of a configuration at once", () => {
    expect(problemsOf({ mcpServers: { a: {}, b: { command: 1 } }, gateway: { prot: 1 } })).toHaveLength(3);
  });

  it("turns any text into a configuration or a ConfigError", () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"mcpServers":{"a":${json}}}`),
      fc.json().map((json) => `{"mcpServers":{"a":{"command":"x"}},"gateway":${json}}`),
    );
    fc.assert(fc.property(text, (value) => void problemsOf(value)));
  });
});

describe("the gateway block", () => {
  it.each([
    [1, "servers.json:10: gateway must be an object, got a number"],
    [{ prot: 1 }, 'servers.json:11: gateway.prot is not known; did you mean "port"?'],
    [
      { zzzzzz: 1 },
      "servers.json:11: gateway.zzzzzz is not known; known are admin, affinityHints, allowedHosts, allowedOrigins, auth, card, endpoints, host, keepAliveMs, legacy, limits, log, pendingCalls, policy, port, postgres, probe, publicUrl, redis, restart, shutdown, tasks, telemetry, trustProxy, upstreams, workers",
    ],
    [{ tasks: { after: 1 } }, 'servers.json:12: gateway.tasks.after is not known; did you mean "afterMs"?'],
    [{ pendingCalls: { ttl: 1 } }, 'servers.json:12: gateway.pendingCalls.ttl is not known; did you mean "ttlMs"?'],
    [
      { pendingCalls: { max: 0 } },
      "servers.json:12: gateway.pendingCalls.max must be a whole number of at least 1, got 0",
    ],
    [
      { restart: { firstMs: 0 } },
      "servers.json:12: gateway.restart.firstMs must be a whole number from 1 to 2147483647, got 0",
    ],
    [
      { tasks: { ttlMs: 0 } },
      "servers.json:12: gateway.tasks.ttlMs must be a whole number from 1 to 2147483647, got 0",
    ],
    [{ port: "80" }, "servers.json:11: gateway.port must be a whole number from 0 to 65535, got a string"],
    [{ port: 65_536 }, "servers.json:11: gateway.port must be a whole number from 0 to 65535, got 65536"],
    [{ port: 1.5 }, "servers.json:11: gateway.port must be a whole number from 0 to 65535, got 1.5"],
    [{ publicUrl: "mcp" }, 'servers.json:11: gateway.publicUrl must be an http or https URL, got "mcp"'],
    [{ log: "xml" }, 'servers.json:11: gateway.log must be "text" or "json", got "xml"'],
    [{ auth: {} }, 'servers.json:11: gateway.auth must have "keys" or "jwt"'],
    [{ auth: { keys: {} } }, "servers.json:12: gateway.auth.keys must be an array of objects, got an object"],
    [
      { auth: { keys: [{ id: "a", key: "short" }] } },
      "servers.json:15: gateway.auth.keys[0].key must have at least 16 characters, got 5",
    ],
    [
      { auth: { keys: [{ id: "a", key: "0123456789 abcdef" }] } },
      "servers.json:15: gateway.auth.keys[0].key must consist of A-Z a-z 0-9 - . _ ~ + / only",
    ],
    [
      { auth: { keys: [{ id: "a", key: "${NOPE}" }] } },
      "servers.json:15: gateway.auth.keys[0].key needs the environment variable NOPE, which is not set",
    ],
    [{ auth: { keys: [{ key: "${KEY}" }] } }, "servers.json:13: gateway.auth.keys[0].id must be a string, got nothing"],
    [
      {
        auth: {
          keys: [
            { id: "a", key: "${KEY}" },
            { id: "a", key: "${KEY}1" },
          ],
        },
      },
      'servers.json:12: gateway.auth.keys must each have an id of their own, got "a" twice',
    ],
    [
      {
        auth: {
          keys: [
            { id: "a", key: "${KEY}" },
            { id: "b", key: "${KEY}" },
          ],
        },
      },
      'servers.json:12: gateway.auth.keys must differ, got the same key for "b" again',
    ],
    [
      { card: { description: "x".repeat(101) } },
      "servers.json:12: gateway.card.description must have at most 100 characters, got 101",
    ],
    [
      { auth: { jwt: { issuer: "https://as", jwksUrl: "https://as/keys" } } },
      "servers.json:12: gateway.auth.jwt needs gateway.publicUrl: the URL of the endpoint, which tokens are issued for",
    ],
    [
      { publicUrl: "https://h/mcp", auth: { jwt: { issuer: "https://as", jwksUrl: "http://as/keys" } } },
      'servers.json:15: gateway.auth.jwt.jwksUrl must be an https URL, got "http://as/keys"',
    ],
    [
      {
        publicUrl: "https://h/mcp",
        auth: { jwt: { issuer: "https://as", jwksUrl: "https://as/keys", algorithms: ["HS256"] } },
      },
      'servers.json:16: gateway.auth.jwt.algorithms must be asymmetric, got "HS256"',
    ],
    [
      { policy: [{ tools: ["x"] }] },
      'servers.json:12: gateway.policy[0].effect must be "allow" or "deny", got nothing',
    ],
    [
      { policy: [{ effect: "alow" }] },
      'servers.json:13: gateway.policy[0].effect must be "allow" or "deny", got "alow"',
    ],
    [
      { policy: [{ effect: "deny", tool: ["x"] }] },
      'servers.json:14: gateway.policy[0].tool is not known; did you mean "tools"?',
    ],
    [
      { limits: { requestsPerMinute: 0 } },
      "servers.json:12: gateway.limits.requestsPerMinute must be a whole number of at least 1, got 0",
    ],
    [
      { limits: { maxWatchedPerCaller: "many" } },
      "servers.json:12: gateway.limits.maxWatchedPerCaller must be a whole number of at least 1, got a string",
    ],
    [
      { trustProxy: ["10.0.0.0/8", "proxy.example"] },
      'servers.json:13: gateway.trustProxy[1] must be an IP address or a CIDR block such as 10.0.0.0/8, got "proxy.example"',
    ],
    [{ admin: { key: "short" } }, "servers.json:12: gateway.admin.key must have at least 16 characters, got 5"],
    [{ admin: { host: "0.0.0.0" } }, "servers.json:12: gateway.admin.host needs a port of its own beside it"],
    [
      { card: { name: "tools" } },
      'servers.json:12: gateway.card.name must be a reversed domain and a name, such as com.example/tools, got "tools"',
    ],
    [
      { upstreams: { flies: {} } },
      'servers.json:12: gateway.upstreams.flies is not a server in these files; did you mean "files"?',
    ],
    [
      { endpoints: { gh: { upstreams: ["files"] } } },
      "servers.json:12: gateway.endpoints.gh has the name of a server, which is at /mcp/gh; rename the endpoint",
    ],
    [
      { endpoints: { "a b": { upstreams: ["files"] } } },
      "servers.json:12: gateway.endpoints.a b must have a name of at most 32 letters, digits, dots, dashes or underscores that is not server-card",
    ],
    [
      { endpoints: { sales: { upstreams: ["flies"] } } },
      'servers.json:14: gateway.endpoints.sales.upstreams[0] must be the name of a server, got "flies"; did you mean "files"?',
    ],
    [
      { endpoints: { sales: { upstreams: [] } } },
      "servers.json:13: gateway.endpoints.sales.upstreams must name at least one server",
    ],
    [
      { endpoints: { sales: { tools: { allow: ["x"] } } } },
      "servers.json:12: gateway.endpoints.sales.upstreams must be an array of strings, got nothing",
    ],
    [
      { upstreams: { files: { era: "old" } } },
      'servers.json:13: gateway.upstreams.files.era must be "modern" or "legacy", got "old"',
    ],
    [
      { upstreams: { files: { affinity: "user" } } },
      'servers.json:13: gateway.upstreams.files.affinity must be "caller" or "handle" or "call" or "shared", got "user"',
    ],
    [
      { upstreams: { files: { elicits: "none" } } },
      "servers.json:13: gateway.upstreams.files.elicits must be an array of strings, got a string",
    ],
    [
      { upstreams: { files: { sessions: { maxShared: 0 } } } },
      "servers.json:14: gateway.upstreams.files.sessions.maxShared must be a whole number of at least 1, got 0",
    ],
    [
      { upstreams: { files: { sessions: { onLoss: "ignore" } } } },
      'servers.json:14: gateway.upstreams.files.sessions.onLoss must be "tell" or "continue", got "ignore"',
    ],
    [
      { upstreams: { files: { roots: [{ uri: "/home" }] } } },
      'servers.json:15: gateway.upstreams.files.roots[0].uri must begin with file://, got "/home"',
    ],
    [
      { upstreams: { files: { tools: { rename: { a: "x y" } } } } },
      'servers.json:15: gateway.upstreams.files.tools.rename.a must be 1 to 64 letters, digits, dashes or underscores, got "x y"',
    ],
    [
      { upstreams: { files: { tools: { rename: { a: "x", b: "x" } } } } },
      'servers.json:14: gateway.upstreams.files.tools.rename must give each a name of its own, got "x" twice',
    ],
    [
      { upstreams: { files: { credentials: { headers: {} } } } },
      "servers.json:13: gateway.upstreams.files.credentials are for remote servers; give a local one its secrets by env",
    ],
    [
      { upstreams: { gh: { credentials: { headers: { "Mcp-Session-Id": "s" } } } } },
      "servers.json:15: gateway.upstreams.gh.credentials.headers.Mcp-Session-Id must not be set: the protocol sets this header",
    ],
    [
      { upstreams: { gh: { credentials: { clientCredentials: { clientId: "i" } } } } },
      'servers.json:14: gateway.upstreams.gh.credentials.clientCredentials must have either "clientSecret" or "privateKey"',
    ],
  ])("reports the problem of the gateway block %j", (block, expected) => {
    expect(problemsOf(gateway(block))).toEqual([expected]);
  });

  it("reads a complete gateway block and replaces its variables", () => {
    const { config, secrets } = read(
      gateway({
        host: "0.0.0.0",
        port: 8080,
        publicUrl: "https://h.example/mcp",
        allowedHosts: ["h.example"],
        allowedOrigins: ["https://app.example"],
        trustProxy: ["10.0.0.0/8", "::1"],
        auth: {
          keys: [{ id: "ci", key: "${KEY}", scopes: ["read"] }],
          jwt: { issuer: "https://as.example", jwksUrl: "https://as.example/keys", requiredScopes: ["mcp"] },
        },
        policy: [{ effect: "allow", callers: ["key ci"], upstreams: ["files"], tools: ["read_*"] }],
        limits: {
          requestsPerMinute: 600,
          maxReceivingRequests: 8,
          maxReceivingPerCaller: 7,
          maxReceivingPerAddress: 6,
          maxConcurrentPerAddress: 3,
          maxStreamsPerAddress: 2,
          maxConcurrentRequests: 10,
          maxConcurrentPerCaller: 9,
          maxStreams: 5,
          maxStreamsPerCaller: 4,
          maxBodyBytes: 1,
          requestTimeoutMs: 0,
          maxWatchedPerCaller: 20,
          maxTools: 21,
          maxPrompts: 22,
          maxResources: 23,
          maxTemplates: 24,
        },
        admin: { key: "${KEY}-admin", port: 0, host: "127.0.0.1", publicMetrics: true, exchanges: 10, bodies: true },
        log: "json",
        shutdown: { graceMs: 5_000, delayMs: 1_000 },
        card: { name: "com.example/tools", title: "Tools" },
        upstreams: {
          files: {
            era: "legacy",
            affinity: "caller",
            elicits: ["ask_*"],
            sessions: { max: 4, idleMs: 1_000 },
            start: "demand",
            roots: [{ uri: "file:///data", name: "data" }],
            resources: { deny: ["file:///secret/*"] },
            required: true,
          },
          gh: {
            prefix: "",
            tools: { allow: ["*"], deny: ["delete_*"], rename: { create_issue: "new_issue" } },
            credentials: {
              clientCredentials: { clientId: "me", clientSecret: "secret-of-me" },
              callers: { "key ci": { headers: { Authorization: "Bearer token-of-ci" } } },
              callerRequired: true,
            },
          },
        },
      }),
    );
    expect(config.settings).toEqual({
      host: "0.0.0.0",
      port: 8080,
      publicUrl: "https://h.example/mcp",
      allowedHosts: ["h.example"],
      allowedOrigins: ["https://app.example"],
      trustProxy: ["10.0.0.0/8", "::1"],
      auth: {
        keys: [{ id: "ci", key: "0123456789abcdef", scopes: ["read"] }],
        jwt: {
          issuer: "https://as.example",
          jwksUrl: "https://as.example/keys",
          authorizationServers: ["https://as.example"],
          requiredScopes: ["mcp"],
        },
      },
      policy: [{ effect: "allow", callers: ["key ci"], upstreams: ["files"], tools: ["read_*"] }],
      limits: {
        requestsPerMinute: 600,
        maxReceivingRequests: 8,
        maxReceivingPerCaller: 7,
        maxReceivingPerAddress: 6,
        maxConcurrentPerAddress: 3,
        maxStreamsPerAddress: 2,
        maxConcurrentRequests: 10,
        maxConcurrentPerCaller: 9,
        maxStreams: 5,
        maxStreamsPerCaller: 4,
        maxBodyBytes: 1,
        requestTimeoutMs: 0,
        maxWatchedPerCaller: 20,
        maxTools: 21,
        maxPrompts: 22,
        maxResources: 23,
        maxTemplates: 24,
      },
      admin: {
        key: "0123456789abcdef-admin",
        port: 0,
        host: "127.0.0.1",
        publicMetrics: true,
        exchanges: 10,
        bodies: true,
      },
      log: "json",
      shutdown: { graceMs: 5_000, delayMs: 1_000 },
      card: { name: "com.example/tools", title: "Tools" },
    });
    expect(config.upstreams).toEqual([
      {
        kind: "stdio",
        name: "files",
        command: "x",
        args: [],
        env: {},
        era: "legacy",
        affinity: "caller",
        elicits: ["ask_*"],
        sessions: { max: 4, idleMs: 1_000 },
        start: "demand",
        roots: [{ uri: "file:///data", name: "data" }],
        resources: { deny: ["file:///secret/*"] },
        required: true,
      },
      {
        kind: "http",
        name: "gh",
        url: "https://h/mcp",
        headers: {},
        prefix: "",
        tools: { allow: ["*"], deny: ["delete_*"], rename: { create_issue: "new_issue" } },
        credentials: {
          clientCredentials: { clientId: "me", clientSecret: "secret-of-me" },
          callers: { "key ci": { headers: { Authorization: "Bearer token-of-ci" } } },
          callerRequired: true,
        },
      },
    ]);
    expect(secrets).toEqual(["0123456789abcdef", "0123456789abcdef-admin", "secret-of-me", "token-of-ci"]);
  });

  it.each([
    [{ host: "0.0.0.0" }, /listens on 0\.0\.0\.0 without gateway\.auth: anyone who can connect may call every tool/],
    [
      { publicUrl: "http://h.example/mcp", auth: { keys: [{ id: "a", key: "${KEY}" }] } },
      /gateway\.publicUrl is not https/,
    ],
    [{ policy: [{ effect: "allow", callers: ["key a"] }] }, /without gateway\.auth callers have neither/],
    [
      { policy: [{ effect: "allow" }, { effect: "deny", tools: ["gh__drop"] }] },
      /policy\[1\]\.tools has "gh__drop", but rules use the server's own names: write "drop", and "gh" in upstreams$/,
    ],
    [{ admin: { bodies: true } }, /gateway\.admin\.bodies is on/],
    [
      { upstreams: { gh: { credentials: { clientCredentials: { clientId: "i", clientSecret: "secret-of-i" } } } } },
      /^gateway\.upstreams\.gh\.credentials\.clientCredentials\.issuer is not set: the first authorization server/,
    ],
    [
      {
        upstreams: {
          gh: {
            credentials: {
              clientCredentials: { clientId: "i", clientSecret: "secret-of-i", issuer: "https://as.example" },
              callers: { "key ci": { clientCredentials: { clientId: "c", clientSecret: "secret-of-c" } } },
            },
          },
        },
      },
      /^gateway\.upstreams\.gh\.credentials\.callers\["key ci"\]\.clientCredentials\.issuer is not set/,
    ],
  ])("notes valid settings of a gateway block that are rarely intended: %j", (block, expected) => {
    expect(read(gateway(block)).notes).toEqual([expect.stringMatching(expected)]);
  });
});

it("notes a working directory that does not exist", () => {
  expect(read(server({ command: "x", cwd: "/nowhere" })).notes).toEqual([
    "a: there is no folder /nowhere, so that it cannot be started",
  ]);
});

it.each([
  ["gateway.restart.maxMs", { restart: { maxMs: 2 ** 31 } }],
  ["gateway.pendingCalls.ttlMs", { pendingCalls: { ttlMs: 2 ** 31 } }],
  ["gateway.upstreams.gh.startTimeoutMs", { upstreams: { gh: { startTimeoutMs: 2 ** 31 } } }],
  ["gateway.upstreams.gh.timeoutMs", { upstreams: { gh: { timeoutMs: 2 ** 31 } } }],
  ["gateway.upstreams.gh.sessions.waitMs", { upstreams: { gh: { sessions: { waitMs: 2 ** 31 } } } }],
])("limits %s to the longest delay of a timer, because a longer one would not wait at all", (key, block) => {
  expect(problemsOf(gateway(block))).toEqual([
    expect.stringMatching(`${key} must be a whole number from [01] to 2147483647, got 2147483648`),
  ]);
});

it("reports problems without secrets, even if the invalid value is a secret", () => {
  const told = problemsOf({
    mcpServers: {
      a: { url: "htps://me:in-the-address@h/mcp?key=in-the-query" },
      b: { type: "${KEY}", command: "x" },
      c: { command: "x", env: { API_KEY: "in-the-environment" } },
    },
    gateway: { log: "in-the-environment" },
  });
  expect(told).toEqual([
    'servers.json:4: mcpServers.a.url must be an http or https URL, got "htps://***@h/mcp?key=***"',
    'servers.json:7: mcpServers.b.type must be "stdio", "http", "streamable-http" or "sse", got "***"',
    expect.stringMatching('gateway.log must be "text" or "json", got "[*]{3}"'),
  ]);
});

describe("a command that does not exist", () => {
  const notesOf = (entry: object, environment: Environment = { PATH: "/nowhere" }) =>
    toConfig([parseSourceFile("servers.json", JSON.stringify(server(entry)))], { environment }).notes;

  it("notes a missing command and accepts it, because another machine may have it", () => {
    expect(notesOf({ command: "x" })).toEqual([
      'a: there is no command "x" in its PATH, so that it cannot be started on this machine',
    ]);
    expect(notesOf({ command: "./x", cwd: "/" })).toEqual([
      "a: there is no program /x, so that it cannot be started on this machine",
    ]);
    expect(notesOf({ command: "npx -y server" })).toEqual([
      'a: there is no command "npx -y server" in its PATH, so that it cannot be started on this machine; what follows its name belongs into "args"',
    ]);
  });

  it("notes a missing command without secrets of a whole command line", () => {
    expect(notesOf({ command: "npx server --token s3cretly" })).toEqual([
      expect.stringMatching('^a: there is no command "npx server --token [*]{3}" in its PATH'),
    ]);
  });

  it("looks for a command as the server would, with its own PATH and working directory", () => {
    const folder = dirname(process.execPath);
    const node = basename(process.execPath);
    expect(notesOf({ command: node }, { PATH: folder })).toEqual([]);
    expect(notesOf({ command: node, env: { PATH: folder } })).toEqual([]);
    expect(notesOf({ command: node, env: { PATH: "/nowhere" } }, { PATH: folder })).toHaveLength(1);
    expect(notesOf({ command: `./${node}`, cwd: folder })).toEqual([]);
    expect(notesOf({ command: process.execPath })).toEqual([]);
  });

  it("looks for no command of a disabled server, or without a known working directory or PATH", () => {
    expect(notesOf({ command: "x" }, {})).toEqual([]);
    expect(notesOf({ command: "./x", cwd: "/nowhere" })).toEqual([expect.stringContaining("there is no folder")]);
    const off = { mcpServers: { a: { command: "x", disabled: true }, b: { url: "https://h/mcp" } } };
    const source = parseSourceFile("servers.json", JSON.stringify(off));
    expect(toConfig([source], { environment: { PATH: "/nowhere" } }).notes).toEqual([]);
  });
});

describe("several configuration files", () => {
  it("merges several configuration files in their order", () => {
    const { config } = read(server({ command: "x" }), { servers: { b: { command: "y" } } }, { gateway: { port: 1 } });
    expect(config.upstreams.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(config.settings).toEqual({ port: 1 });
  });

  it("accepts the same server and setting in two files", () => {
    expect(read(server({ command: "x" }), server({ command: "x" })).config.upstreams).toHaveLength(1);
  });

  it("rejects two servers of one name and two values of one setting in several files", () => {
    expect(problemsOf(server({ command: "x" }), server({ command: "y" }))).toEqual([
      "more-1.json:3: mcpServers.a is another server than the one at servers.json:3: mcpServers.a; rename one of them",
    ]);
    const twice = problemsOf(
      { ...server({ command: "x" }), gateway: { port: 1, probe: true } },
      { gateway: { port: 2, probe: false } },
    );
    expect(twice).toEqual([
      "more-1.json:3: gateway.port is set in an earlier file as well, and not to the same; keep one of them",
      "more-1.json:4: gateway.probe is set in an earlier file as well, and not to the same; keep one of them",
    ]);
  });
});

it.each(["auto", 0, 1, 1.5, 256, 257] as const)("judges %j workers as `serve` does", (workers) => {
  const isPossible = findWorkersProblem(workers) === undefined;
  expect(problemsOf(gateway({ workers }))).toHaveLength(isPossible ? 0 : 1);
});
