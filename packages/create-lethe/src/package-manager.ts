// The package manager that runs the command, and how its commands are written.

export const packageManagers = ["npm", "pnpm", "yarn", "bun"] as const;

export type PackageManager = (typeof packageManagers)[number];

export function isPackageManager(name: string): name is PackageManager {
  return (packageManagers as readonly string[]).includes(name);
}

/** Package managers set `npm_config_user_agent` to text such as "pnpm/9.15.9 npm/? node/v24.1.0 linux x64". */
export function toPackageManager(userAgent = ""): PackageManager {
  const name = userAgent.split("/", 1)[0] ?? "";
  return isPackageManager(name) ? name : "npm";
}

export interface Commands {
  readonly install: string;
  /** For CI: fails if the lockfile does not match. */
  readonly installFrozen: string;
  readonly start: string;
  readonly test: string;
  readonly dev: string;
  /** Runs a program of an installed package. */
  readonly exec: string;
}

export const commandsOf: Readonly<Record<PackageManager, Commands>> = {
  npm: {
    install: "npm install",
    installFrozen: "npm ci",
    start: "npm start",
    test: "npm test",
    dev: "npm run dev",
    exec: "npx",
  },
  pnpm: {
    install: "pnpm install",
    installFrozen: "pnpm install --frozen-lockfile",
    start: "pnpm start",
    test: "pnpm test",
    dev: "pnpm dev",
    exec: "pnpm exec",
  },
  yarn: {
    install: "yarn install",
    installFrozen: "yarn install --frozen-lockfile",
    start: "yarn start",
    test: "yarn test",
    dev: "yarn dev",
    exec: "yarn run",
  },
  bun: {
    install: "bun install",
    installFrozen: "bun install --frozen-lockfile",
    start: "bun run start",
    test: "bun run test",
    dev: "bun run dev",
    exec: "bunx",
  },
};
