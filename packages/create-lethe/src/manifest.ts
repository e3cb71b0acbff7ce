// The package.json of a project, with exact versions.
import type { Tarballs } from "./lethe-tarballs.ts";
import type { Template } from "./templates.ts";
import { versions } from "./versions.ts";

const startOf: Readonly<Record<Template, string>> = {
  tools: "tsc && node dist/main.js",
  interactive: "tsc && node dist/main.js",
  app: "tsc && node dist/main.js",
  gateway: "tsc && lethe gateway --config servers.json",
};

/** A changed file is served without a restart. The gateway restarts with its server. */
const devOf: Readonly<Record<Template, string>> = {
  tools: "lethe dev src/main.ts",
  interactive: "lethe dev src/main.ts",
  app: "lethe dev src/main.ts",
  gateway: "tsc && node dev.mjs",
};

/** `tarballs` replaces versions of Lethe packages by files. */
export function toManifest(name: string, template: Template, tarballs: Tarballs | undefined): object {
  const lethe = (...names: string[]) => names.map((id) => [id, tarballs?.get(id) ?? versions.lethe] as const);
  const isGateway = template === "gateway";
  return {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=20.19" },
    scripts: {
      build: "tsc",
      start: startOf[template],
      dev: devOf[template],
      test: "tsc && node --test dist/server.test.js",
    },
    dependencies: sorted([...lethe("@lethe/server", ...(isGateway ? ["lethe"] : [])), ["zod", versions.zod]]),
    devDependencies: sorted([
      ...lethe("@lethe/client", ...(isGateway ? [] : ["lethe"])),
      ["@types/node", versions["@types/node"]],
      ["typescript", versions.typescript],
    ]),
    ...(tarballs && toOverrides(tarballs)),
  };
}

/** Makes the packages find each other as files, for each package manager in its own words. */
function toOverrides(tarballs: Tarballs): object {
  const files = sorted([...tarballs]);
  return { overrides: files, resolutions: files, pnpm: { overrides: files } };
}

function sorted(entries: (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
