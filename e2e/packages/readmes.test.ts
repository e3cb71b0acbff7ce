// Installs the packed packages in an empty folder, as a user does. Compiles and runs the programs of the READMEs there.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createServer } from "@lethe/server";
import { type Serving, serve } from "@lethe/server/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);
/** The published packages and their folders. */
const packed = {
  "@lethe/protocol": "protocol",
  "@lethe/server": "server",
  "@lethe/client": "client",
  "@lethe/redis": "redis",
  "@lethe/openapi": "openapi",
  lethe: "cli",
};
/** READMEs of packages, and of the packages that `lethe` contains. */
const readmes = ["server", "client", "redis", "openapi", "cli", "gateway", "probe", "compare"];
/** What a program prints, if it prints something. */
const outputs: Readonly<Record<string, RegExp>> = {
  "cli-0.js": /was answered without any session/,
  "gateway-1.js": /^tools__echo$/m,
  "probe-0.js": /^STATELESS pass-through$/m,
  "compare-0.js": /Streamable HTTP, 2026-07-28/,
};
/** Programs that print this line and listen until they are stopped. */
const listening = ["server-0.js", "gateway-0.js", "openapi-0.js"];
const listeningLine = /^Listening on http:\/\/127\.0\.0\.1:\d+\/mcp$/;
/** The API of the README of @lethe/openapi. */
const petstore = `openapi: 3.1.0
info: { title: Pets, version: "1" }
paths: { /pets: { get: { operationId: listPets } } }
`;
const versions = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies;

const folder = mkdtempSync(join(tmpdir(), "lethe-readmes-"));
const tarballs: Record<string, string> = {};
/** The server that programs call at http://localhost:3000/mcp. */
let served: Serving;

beforeAll(async () => {
  for (const [name, source] of Object.entries(packed)) {
    const args = ["pack", "--json", "--pack-destination", folder];
    const [{ filename }] = JSON.parse(await run("npm", args, join(root, "packages", source)));
    tarballs[name] = `file:${join(folder, filename)}`;
  }
  const server = createServer({ name: "tools", version: "1.0.0" });
  server.tool("echo", { description: "Echo", annotations: { readOnlyHint: true }, handler: () => "echo" });
  served = await serve(server, { port: 0 });
}, 120_000);

afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

/** The programs of a README: code blocks with imports. */
function programsOf(name: string): string[] {
  const text = readFileSync(join(root, "packages", name, "README.md"), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code = ""]) => code)
    .filter((code) => /^import /m.test(code));
}

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await execute(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** The dependencies that a user declares: the packages themselves, not their dependencies. */
function toManifest(): object {
  const { "@lethe/protocol": protocol, ...own } = tarballs;
  const external = { zod: versions.zod, "@types/node": versions["@types/node"] };
  // Without a registry, the packages find each other by overrides.
  const { lethe: _, ...overrides } = tarballs;
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

  beforeAll(async () => {
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify(toManifest()));
    writeFileSync(join(project, "servers.json"), JSON.stringify({ mcpServers: { tools: { url: served.url } } }));
    writeFileSync(join(project, "petstore.yaml"), petstore);
    await run(command, args, project);
    for (const name of readmes) {
      for (const [index, code] of programsOf(name).entries()) {
        const program = code.replaceAll("http://localhost:3000/mcp", served.url);
        writeFileSync(join(project, `${name}-${index}.ts`), program);
      }
    }
  }, 240_000);

  it.each(Object.entries(resolutions))(
    "every README program compiles against the installed packages under %s resolution",
    async (resolution, options) => {
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
      await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], project);
    },
  );

  it.each(Object.keys(resolutions))(
    "every README program compiled under %s resolution runs with the installed packages",
    async (resolution) => {
      const programs = readdirSync(join(project, resolution)).filter((file) => file.endsWith(".js"));
      expect(programs).toHaveLength(readmes.flatMap(programsOf).length);
      expect(programs).toEqual(expect.arrayContaining([...Object.keys(outputs), ...listening]));
      for (const file of programs) {
        const path = join(project, resolution, file);
        if (listening.includes(file)) expect(await firstLineOf(path, project), file).toMatch(listeningLine);
        else expect(await run(process.execPath, [path], project), file).toMatch(outputs[file] ?? /^$/);
      }
    },
  );

  it("the installed lethe command starts its own programs", async () => {
    const output = await run("npx", ["--no-install", "lethe", "compare", "--script", "minimal", "--json"], project);
    const ids = JSON.parse(output).recordings.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(["modern-http", "modern-stdio", "legacy-stdio"]));
  });
});

/** Starts a program that listens, waits for its first line and stops it. */
async function firstLineOf(file: string, cwd: string): Promise<string> {
  const env = { ...process.env, PORT: "0" };
  const child = spawn(process.execPath, [file], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    return line;
  } finally {
    child.kill();
    await once(child, "exit");
  }
}
