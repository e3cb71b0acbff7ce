// The file that `lethe gateway init` writes: it works unchanged and shows the other settings in comments.

/** The configuration file that `lethe gateway init` writes: JSON with comments, with every section explained. */
export const exampleConfig: string = `// A Lethe gateway. Run it with:  lethe gateway --config lethe.json
// Comments and trailing commas are allowed. \${NAME} is an environment variable, \${NAME:-default} one with a default.
{
  // Editors that read this complete and check the file. \`lethe gateway schema\` prints the schema.
  // "$schema": "./node_modules/lethe/gateway.schema.json",

  // The same block that desktop clients have; paste yours. A server has a "command" or a "url".
  "mcpServers": {
    "everything": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-everything", "stdio"],
    },
    // "github": {
    //   "url": "https://api.githubcopilot.com/mcp/",
    //   "headers": { "Authorization": "Bearer \${GITHUB_TOKEN}" },
    // },
  },

  // Settings of the gateway. All of them are optional.
  "gateway": {
    "port": 3000,
    "host": "127.0.0.1",

    // Reverse proxies whose X-Forwarded-For gives the address of a client, for the limits of clients without credentials.
    // "trustProxy": ["10.0.0.0/8"],

    // Authentication of callers. Without it, anyone who can connect may call. Callers send "Authorization: Bearer KEY".
    // "auth": {
    //   "keys": [{ "id": "ci", "key": "\${LETHE_CI_KEY}", "scopes": ["read"] }],
    //   // Tokens of an authorization server; "publicUrl" is what they are issued for.
    //   "jwt": { "issuer": "https://login.example.com", "jwksUrl": "https://login.example.com/jwks" },
    // },
    // "publicUrl": "https://mcp.example.com/mcp",

    // Access rules. The first rule that matches decides. A tool that no rule allows is denied and not listed.
    // "policy": [
    //   { "effect": "deny", "tools": ["delete_*"] },
    //   { "effect": "allow", "callers": ["key ci"], "upstreams": ["github"], "tools": ["get_*", "list_*"] },
    //   { "effect": "allow", "scopes": ["admin"] },
    // ],

    // Some of the servers at /mcp/reading, with a tool filter and a policy of their own.
    // "endpoints": { "reading": { "upstreams": ["everything", "github"], "tools": { "allow": ["get_*"] } } },

    // "limits": { "requestsPerMinute": 600, "maxConcurrentRequests": 1000, "maxBodyBytes": 4194304, "maxWatchedPerCaller": 1000,
    //             "maxTools": 5000, "maxPrompts": 5000, "maxResources": 10000, "maxTemplates": 1000 },

    // Limits of calls that wait for a response of their callers.
    // "pendingCalls": { "ttlMs": 600000, "max": 1000, "maxPerCaller": 100 },

    // Back-off and circuit breaker of failing servers.
    // "restart": { "firstMs": 500, "maxMs": 30000, "maxFailures": 5 },

    // Limits of the tasks that the gateway creates from long calls of servers with "tasks": "auto".
    // "tasks": { "afterMs": 1000, "ttlMs": 3600000, "max": 10000, "maxPerCaller": 1000 },

    // /admin/v1 and /metrics accept only this machine, unless a key is set.
    // "admin": { "key": "\${LETHE_ADMIN_KEY}", "port": 9090, "exchanges": 200 },

    // The store that replicas of this gateway share, so that each can serve any request. All replicas need the same LETHE_KEYS.
    // "redis": { "url": "\${REDIS_URL:-redis://127.0.0.1:6379}", "prefix": "lethe:" },
    // PostgreSQL can take its place, in a block of the name postgres with the url of a database.

    // Traces, metrics and logs for an OpenTelemetry Collector. The variables OTEL_… do the same.
    // "telemetry": { "endpoint": "http://localhost:4318", "serviceName": "lethe-gateway", "sampleRatio": 0.1 },

    // "log": "json",
    // "shutdown": { "graceMs": 10000, "delayMs": 0 },

    // Whether remote servers are probed for being stateless or stateful.
    // "probe": true,

    // Settings of single servers.
    // "upstreams": {
    //   "github": {
    //     "prefix": "gh",
    //     "tools": { "deny": ["delete_repository"], "rename": { "create_issue": "new_issue" } },
    //     "credentials": { "callers": { "key ci": { "headers": { "Authorization": "Bearer \${CI_GITHUB_TOKEN}" } } } },
    //   },
    //   "everything": { "affinity": "caller", "elicits": ["trigger-*"], "sessions": { "max": 16, "idleMs": 600000 }, "start": "demand", "tasks": "auto" },
    // },
  },
}
`;
