// Writes the import arrows of ARCHITECTURE.md as Biome rules (biome.arrows.json); --check fails when that file is stale.
// A package may import the packages named for it. Inside a package, a room (a folder of src/) may import the rooms
// listed before it; files directly in src/ are the package's door and may import every room.
import { readFileSync, writeFileSync } from "node:fs";

const packages = {
  protocol: {
    imports: [],
    rooms: ["jsonrpc", "memory", "meta", "model", "json-schema", "http", "stdio", "dispatch", "legacy"],
    // One folder per revision.
    nested: ["legacy"],
  },
  server: {
    imports: ["protocol"],
    rooms: [
      "seal",
      "features",
      "interaction",
      "subscriptions",
      "tasks",
      "auth",
      "middleware",
      "methods",
      "dispatch",
      "http",
      "legacy",
      "stdio",
      "node",
    ],
  },
  client: {
    imports: ["protocol"],
    rooms: [
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
      "node",
    ],
  },
  probe: {
    imports: ["protocol", "client"],
    rooms: ["target", "exchange", "behaviour", "verdict", "hints", "report"],
  },
  compare: {
    imports: ["protocol", "client", "server", "probe"],
    rooms: ["record", "script", "run", "report"],
  },
  gateway: {
    imports: ["protocol", "client", "server", "probe"],
    rooms: [
      "config",
      "store",
      "observe",
      "upstream",
      "sessions",
      "bridge",
      "tasks",
      "catalog",
      "policy",
      "routing",
      "admin",
      "front",
    ],
  },
  redis: {
    imports: ["protocol", "server", "gateway"],
    rooms: ["connection", "script", "seal", "mail", "legacy", "subscriptions", "limits", "tasks", "replicas"],
  },
  cli: { imports: ["protocol", "client", "server", "probe", "compare", "gateway", "redis"], rooms: [] },
};

const scope = (name) => (name === "cli" ? "lethe" : `@lethe/${name}`);
const tests = ["!**/*.test.ts", "!**/testing/**"];

function rule(groups) {
  const patterns = groups.map(({ group, message }) => ({ group, message }));
  return { linter: { rules: { style: { noRestrictedImports: { level: "error", options: { patterns } } } } } };
}

function overridesOf(name, { imports, rooms, nested = [] }) {
  const foreign = Object.keys(packages).filter((other) => other !== name && !imports.includes(other));
  const packageGroup = {
    group: foreign.flatMap((other) => [scope(other), `${scope(other)}/**`]),
    message: `packages/${name} may import only: ${imports.map(scope).join(", ") || "nothing of ours"} (ARCHITECTURE.md)`,
  };
  const whole = { includes: [`**/packages/${name}/src/**`, ...tests], ...rule([packageGroup]) };
  const byRoom = rooms.flatMap((room, index) => {
    const later = rooms.slice(index + 1).flatMap((other) => [`../${other}/**`, `../../${other}/**`]);
    const message = `${name}/${room} may import only: ${rooms.slice(0, index).join(", ") || "no other room"} (ARCHITECTURE.md)`;
    const under = (path, door) => ({
      includes: [`**/packages/${name}/src/${room}/${path}`, ...tests],
      ...rule([packageGroup, { group: [...later, ...door], message }]),
    });
    if (!nested.includes(room)) return under("**", ["../index.ts", "../*.ts"]);
    return [under("*.ts", ["../index.ts", "../*.ts"]), under("*/**", ["../../index.ts", "../../*.ts"])];
  });
  return [whole, ...byRoom];
}

const overrides = Object.entries(packages).flatMap(([name, shape]) => overridesOf(name, shape));
const file = new URL("../biome.arrows.json", import.meta.url);
const text = `${JSON.stringify({ overrides }, null, 1)}\n`;

if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== text) {
    console.error("biome.arrows.json is stale: run npm run format");
    process.exit(1);
  }
} else {
  writeFileSync(file, text);
}
