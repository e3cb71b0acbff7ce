// Installs the packed packages in an empty folder, as a user does, and compiles and runs the programs of their READMEs there.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const packed = ["protocol", "server", "client", "redis"];
const readmes = ["server", "client", "redis"];
const versions = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;

const folder = mkdtempSync(join(tmpdir(), "lethe-readmes-"));
const tarballs: Record<string, string> = {};

beforeAll(() => {
  for (const name of packed) {
    const args = ["pack", "--silent", "--pack-destination", folder];
    run("npm", args, join(root, "packages", name));
    const file = readdirSync(folder).find((entry) => entry.startsWith(`lethe-${name}-`));
    tarballs[`@lethe/${name}`] = `file:${join(folder, file ?? "")}`;
  }
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

/** The programs of a README: code blocks with imports. */
function programsOf(name: string): string[] {
  const text = readFileSync(join(root, "packages", name, "README.md"), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code = ""]) => code)
    .filter((code) => /^import /m.test(code));
}

function run(command: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** What a user declares: the packages themselves, and nothing that they depend on. */
function toManifest(): object {
  const { "@lethe/protocol": protocol, ...own } = tarballs;
  const external = { zod: versions.zod, "@types/node": versions["@types/node"] };
  // Without a registry, the packages find each other by overrides.
  const overrides = { "@lethe/protocol": protocol, "@lethe/server": own["@lethe/server"] };
  return {
    private: true,
    type: "module",
    dependencies: { ...own, ...external },
    overrides: { "@lethe/protocol": protocol },
    pnpm: { overrides },
  };
}

const pnpm = join(root, "node_modules/pnpm/bin/pnpm.cjs");
const installers = {
  npm: ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"],
  pnpm: [process.execPath, pnpm, "install", "--reporter=silent"],
} as const;

const resolutions = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
} as const;

describe.each(Object.entries(installers))("packages installed by %s", (installer, [command, ...args]) => {
  const project = join(folder, installer);

  beforeAll(() => {
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify(toManifest()));
    run(command, args, project);
    for (const name of readmes) {
      for (const [index, code] of programsOf(name).entries()) writeFileSync(join(project, `${name}-${index}.ts`), code);
    }
  }, 240_000);

  it.each(Object.entries(resolutions))("compile every README program under %s resolution", (resolution, options) => {
    const compilerOptions = {
      ...options,
      target: "es2023",
      lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
      types: ["node"],
      strict: true,
      skipLibCheck: false,
      rootDir: ".",
      outDir: resolution,
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    run(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], project);
  });

  it.each(Object.keys(resolutions))("run every README program compiled under %s resolution", async (resolution) => {
    const programs = readdirSync(join(project, resolution)).filter((file) => file.endsWith(".js"));
    expect(programs).toHaveLength(readmes.flatMap(programsOf).length);
    for (const file of programs) {
      if (file === "server-0.js") await expectListening(join(project, resolution, file));
      else run(process.execPath, [join(project, resolution, file)], project);
    }
  });
});

/** The first program of the server's README listens until it is stopped. */
async function expectListening(file: string): Promise<void> {
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    expect(line).toMatch(/^Listening on http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  } finally {
    child.kill();
    await once(child, "exit");
  }
}
