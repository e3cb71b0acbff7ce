// What `lethe gateway init` writes: a file that works as it is, and says what else may stand in it.

export const exampleConfig: string = `// A Lethe gateway. Run it with:  lethe gateway --config lethe.json
// Comments and trailing commas are allowed. \${NAME} is an environment variable, \${NAME:-default} one with a default.
{
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

  // Everything below is for the gateway alone, and optional.
  "gateway": {
    "port": 3000,
    "host": "127.0.0.1",

    // Reverse proxies whose X-Forwarded-For gives the address of a client, for the limits of clients without credentials.
    // "trustProxy": ["10.0.0.0/8"],

    // Who may call. Without it, whoever reaches the port. Callers send "Authorization: Bearer KEY".
    // "auth": {
    //   "keys": [{ "id": "ci", "key": "\${LETHE_CI_KEY}", "scopes": ["read"] }],
    //   // Tokens of an authorization server; "publicUrl" is what they are issued for.
    //   "jwt": { "issuer": "https://login.example.com", "jwksUrl": "https://login.example.com/jwks" },
    // },
    // "publicUrl": "https://mcp.example.com/mcp",

    // Who may use what. The first rule that applies decides; what no rule allows is denied, and not listed.
    // "policy": [
    //   { "effect": "deny", "tools": ["delete_*"] },
    //   { "effect": "allow", "callers": ["key ci"], "upstreams": ["github"], "tools": ["get_*", "list_*"] },
    //   { "effect": "allow", "scopes": ["admin"] },
    // ],

    // "limits": { "requestsPerMinute": 600, "maxConcurrentRequests": 1000, "maxBodyBytes": 4194304, "maxWatchedPerCaller": 1000,
    //             "maxTools": 5000, "maxPrompts": 5000, "maxResources": 10000, "maxTemplates": 1000 },

    // Of the calls that wait for an answer of their callers.
    // "pendingCalls": { "ttlMs": 600000, "max": 1000, "maxPerCaller": 100 },

    // How fast servers that fail are tried again.
    // "restart": { "firstMs": 500, "maxMs": 30000, "maxFailures": 5 },

    // Of the tasks that long calls become at upstreams with "tasks": "auto".
    // "tasks": { "afterMs": 1000, "ttlMs": 3600000, "max": 10000, "maxPerCaller": 1000 },

    // /admin and /metrics are for this machine only, unless there is a key, or a port of their own.
    // "admin": { "key": "\${LETHE_ADMIN_KEY}", "port": 9090, "exchanges": 200 },

    // What several replicas of this gateway share, so that any of them can take any request; they need the same LETHE_KEYS.
    // "redis": { "url": "\${REDIS_URL:-redis://127.0.0.1:6379}", "prefix": "lethe:" },

    // "log": "json",
    // "shutdown": { "graceMs": 10000, "delayMs": 0 },

    // Remote servers are asked what they are, stateless or stateful. Nobody is asked with false.
    // "probe": true,

    // What you know better than the gateway can find out.
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
