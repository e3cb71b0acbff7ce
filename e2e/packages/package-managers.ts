// How each package manager adds packages of a registry to an empty folder, and how its users run a program and a command there.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "./verdaccio.ts";

export interface PackageManager {
  readonly name: string;
  readonly add: readonly string[];
  /** Runs a JavaScript file. */
  readonly node: readonly string[];
  /** Runs a command of an installed package. */
  readonly exec: readonly string[];
  /** The registry, caches of its own, and no other settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names a package of npm. Default: the name itself. */
  toSpecifier?(specifier: string): string;
}

export function packageManagers(registry: string, caches: string): PackageManager[] {
  const cache = (name: string): string => join(caches, name);
  const runtimes = fileURLToPath(new URL("../runtimes/installed/node_modules/", import.meta.url));
  const bun = join(runtimes, "bun/bin/bun.exe");
  const deno = join(runtimes, "deno/deno");
  const pnpm = [process.execPath, join(installed, "node_modules/pnpm/bin/pnpm.cjs")];
  const yarn = [process.execPath, join(installed, "node_modules/@yarnpkg/cli-dist/bin/yarn.js")];
  // Yarn and Deno reject packages that are less than a day old, by default.
  const anyAge = "--minimum-dependency-age=0";
  return [
    {
      name: "npm",
      add: ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"],
      node: [process.execPath],
      exec: ["npx", "--no-install"],
      environment: { npm_config_registry: registry, npm_config_cache: cache("npm") },
    },
    {
      name: "pnpm",
      add: [...pnpm, "add", "--reporter=silent", "--store-dir", cache("pnpm")],
      node: [process.execPath],
      exec: [...pnpm, "exec"],
      environment: { npm_config_registry: registry },
    },
    {
      // With its default, Plug'n'Play: packages stay in archives, and only declared dependencies are found.
      name: "yarn",
      add: [...yarn, "add"],
      node: [...yarn, "node"],
      exec: yarn,
      environment: {
        YARN_NPM_REGISTRY_SERVER: registry,
        YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
        YARN_NPM_MINIMAL_AGE_GATE: "0",
        YARN_GLOBAL_FOLDER: cache("yarn"),
        YARN_ENABLE_TELEMETRY: "0",
      },
    },
    {
      name: "Bun",
      add: [bun, "add"],
      node: [bun],
      exec: [bun, "run"],
      environment: { BUN_CONFIG_REGISTRY: registry, BUN_INSTALL_CACHE_DIR: cache("bun") },
    },
    {
      name: "Deno",
      add: [deno, "add", anyAge],
      node: [deno, "run", "--allow-all", anyAge],
      exec: [deno, "run", "--allow-all", anyAge],
      environment: { NPM_CONFIG_REGISTRY: registry, DENO_DIR: cache("deno") },
      toSpecifier: (specifier) => `npm:${specifier}`,
    },
  ];
}
