// Releases the packages to a registry on this machine and installs them by name in empty folders, as users do, with every package manager.
// Compiles and runs the programs of the READMEs there.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ownState } from "../processes/testing/own-state.ts";
import { type PackageManager, packageManagers } from "./package-managers.ts";
import { listening, listeningLine, outputs, readmePrograms } from "./readme-programs.ts";
import { installPackageManagers, type Registry, startVerdaccio } from "./verdaccio.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);
const versions = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;
/** What a user adds. The others are their dependencies. */
const added = [
  "lethe",
  "@lethe/server",
  "@lethe/client",
  "@lethe/redis",
  "@lethe/postgres",
  "@lethe/openapi",
  `zod@${versions.zod}`,
];
const types = `@types/node@${versions["@types/node"]}`;
/** The API of the README of @lethe/openapi. */
const petstore = `openapi: 3.1.0
info: { title: Pets, version: "1" }
paths: { /pets: { get: { operationId: listPets } } }
`;

const folder = mkdtempSync(join(tmpdir(), "lethe-published-"));
const released = join(folder, "release");
let registry: Registry;
/** The server that programs call at http://localhost:3000/mcp. */
let served: Serving;
let printed: string;
/** Closes what was started. */
const closers: (() => Promise<void>)[] = [];

/** The settings of vitest and of the npm that runs it are not those of a user. */
const own = Object.entries(process.env).filter(
  ([name]) => !/^(npm_|VITEST|NODE_OPTIONS|NODE_ENV|FORCE_COLOR)/i.test(name),
);
const environment = { ...Object.fromEntries(own), ...ownState, NO_COLOR: "1" };

async function run([command = "", ...args]: readonly string[], cwd: string, settings = {}): Promise<string> {
  try {
    const env = { ...environment, ...settings };
    return (await execute(command, args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 26 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

beforeAll(async () => {
  installPackageManagers();
  printed = await run([process.execPath, join(root, "scripts/release.mjs"), "--dry-run", "--out", released], root);
  registry = await startVerdaccio(join(folder, "registry"));
  closers.push(() => registry.close());
  // In the order of the commands that the release names.
  await registry.publish(
    [...printed.matchAll(/npm publish .* (\S+\.tgz)$/gm)].map(([, path = ""]) => join(root, path)),
  );
  const server = createServer({ name: "tools", version: "1.0.0" });
  server.tool("echo", { description: "Echo", annotations: { readOnlyHint: true }, handler: () => "echo" });
  served = await serve(server, { port: 0 });
  closers.push(() => served.close());
}, 1_800_000);

afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  // The packages and caches of five package managers are a hundred thousand files.
  await rm(folder, { recursive: true });
}, 240_000);

it("a dry run of a release checks and packs every package, and prints the tag and the commands that remain", () => {
  expect(readdirSync(released).sort()).toEqual(
    expect.arrayContaining(["CHANGELOG.md", "NOTES.md", "SHA256SUMS", "lethe-0.1.0.tgz", "lethe-server-0.1.0.tgz"]),
  );
  expect(printed).toContain("git tag -a v0.1.0");
  expect(readFileSync(join(released, "CHANGELOG.md"), "utf8")).toMatch(/^## 0\.1\.0 \(\d{4}-\d\d-\d\d\)$/m);
});

it("npm installs the tarballs of a release as README.md describes", async () => {
  const [, command = ""] = /^(npm install .*\.tgz)$/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  expect(command).not.toBe("");
  const project = createProject("tarballs");
  await run(["sh", "-c", command.replaceAll("./", `${released}/`)], project, { npm_config_registry: registry.url });
  expect(await run(["npx", "--no-install", "lethe", "--version"], project)).toBe("0.1.0\n");
}, 240_000);

function createProject(name: string): string {
  const project = join(folder, name);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  return project;
}

const resolutions = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
} as const;

/** Writes the programs of the READMEs to `project`, and the files that they read. */
function writePrograms(project: string): void {
  writeFileSync(join(project, "servers.json"), JSON.stringify({ mcpServers: { tools: { url: served.url } } }));
  writeFileSync(join(project, "petstore.yaml"), petstore);
  for (const [name, code] of readmePrograms(served.url)) writeFileSync(join(project, `${name}.ts`), code);
}

/** Compiles the programs to the folder `resolution` of the project. */
async function compile(project: string, resolution: keyof typeof resolutions): Promise<void> {
  const compilerOptions = {
    ...resolutions[resolution],
    target: "es2023",
    lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
    types: ["node"],
    strict: true,
    skipLibCheck: false,
    rootDir: ".",
    outDir: resolution,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  await run([process.execPath, join(root, "node_modules/typescript/bin/tsc")], project);
}

/** Compiled where npm installed the packages. */
let compiled: string;

describe.each(["npm", "pnpm", "yarn", "Bun", "Deno"])("packages added by name with %s to an empty folder", (name) => {
  let project: string;
  let manager: PackageManager;

  beforeAll(async () => {
    project = createProject(name);
    const found = packageManagers(registry.url, join(folder, "caches")).find((one) => one.name === name);
    manager = found as PackageManager;
    // Yarn takes an empty lock file as the root of a project.
    if (name === "yarn") writeFileSync(join(project, "yarn.lock"), "");
    const specifiers = [...added, types].map((specifier) => manager.toSpecifier?.(specifier) ?? specifier);
    await run([...manager.add, ...specifiers], project, manager.environment);
    writePrograms(project);
  }, 240_000);

  // The two forms of node_modules: flat, and linked so that a package finds only what it declares.
  it.runIf(name === "npm" || name === "pnpm")(
    "every README program compiles under both ways to resolve modules",
    async () => {
      await compile(project, "bundler");
      await compile(project, "nodenext");
      if (name === "npm") compiled = join(project, "nodenext");
    },
    240_000,
  );

  it("every README program runs", async () => {
    const programs = readdirSync(compiled).filter((file) => file.endsWith(".js"));
    expect(programs).toHaveLength(readmePrograms(served.url).size);
    expect(programs).toEqual(expect.arrayContaining([...Object.keys(outputs), ...listening]));
    for (const file of programs) {
      writeFileSync(join(project, file), readFileSync(join(compiled, file)));
      const command = [...manager.node, file];
      if (listening.includes(file)) expect(await firstLineOf(command), file).toMatch(listeningLine);
      else expect(await run(command, project, manager.environment), file).toMatch(outputs[file] ?? /^$/);
    }
  }, 240_000);

  it("the lethe command starts its own programs", async () => {
    const command = manager.toSpecifier?.("lethe") ?? "lethe";
    const args = [...manager.exec, command, "compare", "--script", "minimal", "--json"];
    const ids = JSON.parse(await run(args, project, manager.environment)).recordings.map(
      ({ id }: { id: string }) => id,
    );
    expect(ids).toEqual(expect.arrayContaining(["modern-http", "modern-stdio", "legacy-stdio"]));
  }, 240_000);

  /** Starts a program that listens, waits for its first line and stops it, with the processes below it. */
  async function firstLineOf([command = "", ...args]: readonly string[]): Promise<string> {
    const env = { ...environment, ...manager.environment, PORT: "0" };
    const child = spawn(command, args, { cwd: project, env, stdio: ["ignore", "pipe", "inherit"], detached: true });
    try {
      const [line] = await once(createInterface({ input: child.stdout }), "line");
      return line;
    } finally {
      const exited = once(child, "exit");
      process.kill(-(child.pid as number), "SIGTERM");
      await exited;
    }
  }
});
