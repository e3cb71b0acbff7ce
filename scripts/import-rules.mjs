// Writes the import rules of ARCHITECTURE.md as Biome rules to biome.imports.json, which biome.json extends.
// A package may import the packages named for it. A module (a folder of src/) may import the modules listed before it.
// "edge/policy" is a folder inside the folder "edge"; "edge" then names the files directly in it.
// Files directly in src/ may import every module. The file is generated at install and before each lint.
import { writeFileSync } from "node:fs";

const packages = {
  protocol: {
    imports: [],
    modules: ["jsonrpc", "options", "memory", "meta", "model", "json-schema", "http", "stdio", "dispatch", "revisions"],
    // One folder per revision.
    nested: ["revisions"],
  },
  server: {
    imports: ["protocol"],
    // src/testing.ts is the entry point of a private package, which @lethe/server contains.
    contains: ["testing"],
    modules: [
      "clock",
      "replicas",
      "seal",
      "features",
      "interaction",
      "subscriptions",
      "tasks",
      "auth",
      "middleware",
      "contracts",
      "mounts",
      "methods",
      "apps",
      "skills",
      "dispatch",
      "http",
      "legacy/shared",
      "legacy/sessions",
      "legacy/calls",
      "legacy/tasks",
      "legacy/methods",
      "legacy/transports",
      "legacy",
      "stdio",
      "node",
    ],
  },
  client: {
    imports: ["protocol"],
    modules: [
      "call",
      "era",
      "interaction",
      "cache",
      "auth",
      "http",
      "memory",
      "legacy",
      "subscriptions",
      "tasks",
      "connect",
      "extensions",
      "node",
    ],
  },
  testing: {
    imports: ["protocol", "server", "client"],
    modules: ["time", "answers", "events", "wire", "transports", "clients"],
  },
  probe: {
    imports: ["protocol", "client"],
    modules: ["html", "target", "exchange", "behaviour", "verdict", "hints", "report"],
  },
  compare: {
    imports: ["protocol", "client", "server", "probe"],
    modules: ["fixture", "record", "script", "run", "report"],
  },
  console: {
    imports: ["protocol", "client"],
    // `site` and `local` serve the pages and run in Node. `app` is the pages and runs in browsers.
    modules: [
      "site",
      "local",
      "app/format",
      "app/admin",
      "app/mcp",
      "app/parts",
      "app/forms",
      "app/fleet",
      "app/live",
      "app/work",
      "app/playground",
      "app/health",
      "app",
    ],
  },
  gateway: {
    imports: ["protocol", "client", "server", "probe", "openapi", "console"],
    modules: [
      "config/schema",
      "config",
      "extensions",
      "tracing",
      "upstreams/directory",
      "upstreams/connection",
      "upstreams/verdict",
      "upstreams/sessions",
      "calls",
      "subscriptions",
      "catalog",
      "edge/policy",
      "edge/routing",
      "edge/endpoints",
      "edge",
      "adapter",
      "operate/observe",
      "operate/telemetry",
      "operate/admin/api",
      "operate/admin/answers",
      "operate/admin/fleet",
      "operate/admin",
      "operate/console",
      "operate",
    ],
  },
  dev: {
    imports: ["protocol", "server", "gateway"],
    modules: ["channel", "bundle", "runner", "process", "front", "reload"],
  },
  redis: {
    // Of the server only what stores need.
    imports: ["protocol", "server"],
    entryPoints: ["@lethe/server/stores", "@lethe/server/sealing", "@lethe/server/forwarding"],
    modules: [
      "connection",
      "script",
      "seal",
      "peers",
      "messages",
      "links",
      "legacy",
      "subscriptions",
      "limits",
      "tasks",
      "records",
      "replicas",
    ],
  },
  postgres: {
    imports: ["protocol", "server"],
    entryPoints: ["@lethe/server/stores", "@lethe/server/sealing", "@lethe/server/forwarding"],
    modules: [
      "schema",
      "connection",
      "seal",
      "sessions",
      "messages",
      "legacy",
      "subscriptions",
      "limits",
      "tasks",
      "records",
      "replicas",
    ],
  },
  openapi: {
    imports: ["protocol", "server"],
    modules: ["spec", "schema", "auth", "operations", "request", "response", "node"],
  },
  "create-lethe": { imports: [], modules: [] },
  migrate: { imports: [], modules: ["source", "official", "fastmcp"] },
  cli: {
    imports: [
      "protocol",
      "client",
      "server",
      "probe",
      "compare",
      "console",
      "gateway",
      "dev",
      "openapi",
      "postgres",
      "redis",
      "migrate",
    ],
    modules: [],
  },
};

const unscoped = { cli: "lethe", "create-lethe": "create-lethe" };
const scope = (name) => unscoped[name] ?? `@lethe/${name}`;
const tests = ["!**/*.test.ts", "!**/testing/**"];

function rule(groups) {
  const patterns = groups.map(({ group, message }) => ({ group, message }));
  return { linter: { rules: { style: { noRestrictedImports: { level: "error", options: { patterns } } } } } };
}

function overridesOf(name, { imports, modules, nested = [], entryPoints = [], contains = [] }) {
  const foreign = Object.keys(packages).filter((other) => other !== name && !imports.includes(other));
  const allowed = imports.flatMap((other) => {
    const entries = entryPoints.filter((entry) => entry.startsWith(`${scope(other)}/`));
    return entries.length > 0 ? entries : [scope(other)];
  });
  const narrowed = imports.filter((other) => entryPoints.some((entry) => entry.startsWith(`${scope(other)}/`)));
  const packageGroup = {
    group: [
      ...[...foreign, ...narrowed].flatMap((other) => [scope(other), `${scope(other)}/**`]),
      ...entryPoints.map((entry) => `!${entry}`),
    ],
    message: `packages/${name} may import only: ${allowed.join(", ") || "no other package"} (ARCHITECTURE.md)`,
  };
  const whole = { includes: [`**/packages/${name}/src/**`, ...tests], ...rule([packageGroup]) };
  const byModule = modules.flatMap((module, index) => {
    const depth = module.split("/").length;
    const toSource = "../".repeat(depth);
    const hasSubmodules = modules.some((other) => other.startsWith(`${module}/`));
    const later = modules.slice(index + 1).flatMap((other) => specifiersOf(other, module, modules));
    const message = `${name}/${module} may import only: ${modules.slice(0, index).join(", ") || "no other module"} (ARCHITECTURE.md)`;
    const under = (path, entry) => ({
      includes: [`**/packages/${name}/src/${module}/${path}`, ...tests],
      ...rule([packageGroup, { group: [...later, ...entry], message }]),
    });
    if (!nested.includes(module)) return under(hasSubmodules ? "*.ts" : "**", [`${toSource}*.ts`]);
    return [under("*.ts", ["../*.ts"]), under("*/**", ["../../*.ts"])];
  });
  const entries = contains.map((part) => ({
    includes: [`**/packages/${name}/src/${part}.ts`],
    ...rule([{ ...packageGroup, group: packageGroup.group.filter((path) => !path.startsWith(scope(part))) }]),
  }));
  return [whole, ...byModule, ...entries];
}

/** How files of `from` spell an import of the module `to`. */
function specifiersOf(to, from, modules) {
  const files = modules.some((other) => other.startsWith(`${to}/`)) ? "*.ts" : "**";
  const [parent, own] = from.split("/");
  if (own === undefined) return [`../${to}/${files}`, `../../${to}/${files}`];
  const inParent = to === parent ? [`../${files}`] : [];
  const sibling = to.startsWith(`${parent}/`) ? [`..${to.slice(parent.length)}/${files}`] : [];
  return [...inParent, ...sibling, `../../${to}/${files}`];
}

const overrides = Object.entries(packages).flatMap(([name, shape]) => overridesOf(name, shape));
writeFileSync(new URL("../biome.imports.json", import.meta.url), `${JSON.stringify({ overrides }, null, 1)}\n`);
