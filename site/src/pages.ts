// The pages of the site in the order of its sidebar, and the documents of the repository that they come from.

export interface Page {
  /** Path of the document from the root of the repository, or undefined for a page that the build generates. */
  readonly source?: string;
  /** Path of the page on the site, without extension. The index of a folder ends with "/". */
  readonly path: string;
  readonly title: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

const fromDocs = (name: string, title: string): Page => ({
  source: `docs/${name}.md`,
  path: name.replace(/(^|\/)README$/, "$1"),
  title,
});
const fromPackage = (name: string, title: string): Page => ({
  source: `packages/${name}/README.md`,
  path: `packages/${name}`,
  title,
});

export const sections: readonly Section[] = [
  {
    title: "Get started",
    pages: [
      fromDocs("README", "Overview"),
      fromDocs("start/gateway", "Run a gateway"),
      fromDocs("getting-started", "Write a server"),
      fromDocs("start/client", "Call servers"),
    ],
  },
  {
    title: "Concepts",
    pages: [
      fromDocs("concepts/stateless", "Stateless requests"),
      fromDocs("concepts/input", "Input during a call"),
      fromDocs("concepts/gateway", "How the gateway works"),
      fromDocs("glossary", "Glossary"),
    ],
  },
  {
    title: "Gateway guides",
    pages: [
      fromDocs("gateway", "The gateway"),
      fromDocs("gateway/files", "Server files"),
      fromDocs("gateway/settings", "Gateway settings"),
      fromDocs("gateway/endpoints", "Named endpoints"),
      fromDocs("gateway/access", "Access"),
      fromDocs("gateway/names", "Names and URIs"),
      fromDocs("gateway/upstreams", "Upstreams"),
      fromDocs("gateway/state", "How a server keeps state"),
      fromDocs("gateway/input-requests", "Input requests"),
      fromDocs("gateway/tasks-and-extensions", "Tasks and extensions"),
      fromDocs("console", "Web console"),
      fromPackage("gateway", "A gateway in a program"),
    ],
  },
  {
    title: "Operations",
    pages: [
      { source: "deploy/README.md", path: "operations/deployment", title: "Deployment" },
      fromDocs("load-balancers", "Load balancers"),
      fromDocs("scaling", "Scaling"),
      fromDocs("gateway/replicas", "Several replicas"),
      fromDocs("operations/upgrades", "Upgrades"),
      fromDocs("gateway/keys", "Rotate a key"),
      fromDocs("gateway/limits", "Limits"),
      fromDocs("operations/tuning", "Tuning"),
      fromDocs("gateway/availability", "Starting, stopping, failures"),
      fromDocs("gateway/monitoring", "Monitoring"),
      fromDocs("observability", "Observability"),
      { source: "SECURITY.md", path: "security", title: "Security" },
      fromDocs("operations/troubleshooting", "Troubleshooting"),
      fromDocs("operations/errors", "Errors"),
      fromDocs("reliability", "Reliability tests"),
    ],
  },
  {
    title: "Server guides",
    pages: [
      fromPackage("server", "Servers"),
      fromDocs("guides/tools", "Tools"),
      fromDocs("guides/resources-and-prompts", "Resources and prompts"),
      fromDocs("guides/callers", "Callers and headers"),
      fromDocs("guides/http", "Serve over HTTP"),
      fromDocs("guides/publish", "Publish a server"),
      fromDocs("dev", "lethe dev"),
      fromDocs("testing", "Test a server"),
      fromDocs("session-state", "Session state"),
      fromDocs("tasks", "Tasks"),
      fromDocs("apps", "MCP Apps"),
      fromDocs("skills", "Skills"),
      fromDocs("composition", "Composition"),
      fromDocs("openapi", "HTTP APIs as tools"),
      fromPackage("redis", "Redis"),
      fromPackage("postgres", "PostgreSQL"),
      { source: "examples/README.md", path: "examples", title: "Examples" },
      fromDocs("deploy/README", "Deploy a server"),
      fromDocs("deploy/containers", "Containers"),
      fromDocs("deploy/cloudflare", "Cloudflare Workers"),
      fromDocs("deploy/vercel-next", "Vercel and Next.js"),
      fromDocs("deploy/aws-lambda", "AWS Lambda"),
      fromDocs("deploy/deno-deploy", "Deno"),
      fromDocs("deploy/bun", "Bun"),
    ],
  },
  {
    title: "Client guides",
    pages: [
      fromDocs("clients", "Clients"),
      fromPackage("client", "@lethe/client"),
      fromPackage("cli", "The lethe command"),
      fromPackage("probe", "Probe"),
      fromPackage("compare", "Compare transports"),
      fromDocs("transports", "Transports compared"),
    ],
  },
  {
    title: "Reference",
    pages: [
      fromDocs("extensions", "Extensions"),
      fromDocs("conformance", "Conformance"),
      fromDocs("configuration", "Configuration"),
      { path: "reference/cli", title: "Command line" },
      { path: "reference/metrics", title: "Metrics" },
      fromDocs("admin-api", "Admin API"),
      { path: "reference/admin-api", title: "Admin API operations" },
      { path: "reference/api/", title: "TypeScript API" },
      fromDocs("requirements", "Requirements"),
      fromPackage("openapi", "@lethe/openapi"),
      fromPackage("protocol", "@lethe/protocol"),
      fromPackage("create-lethe", "create-lethe"),
    ],
  },
  {
    title: "Compare and migrate",
    pages: [fromDocs("why", "Why Lethe"), fromDocs("migration", "Migrate")],
  },
  {
    title: "Project",
    pages: [
      fromDocs("questions", "Questions"),
      { source: "ROUGH_EDGES.md", path: "rough-edges", title: "Rough edges" },
      { source: "CHANGELOG.md", path: "changelog", title: "Changelog" },
      { source: "ARCHITECTURE.md", path: "architecture", title: "Architecture" },
      { source: "CONTRIBUTING.md", path: "contributing", title: "Contributing" },
    ],
  },
];
