import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { completeAnswers } from "./answers.ts";
import { findTarballs } from "./lethe-tarballs.ts";
import { parseOptions } from "./options.ts";
import { commandsOf, packageManagers, toPackageManager } from "./package-manager.ts";
import { toPackageName, toProjectFiles } from "./project-files.ts";
import { emptyFolderProblem, writeProject } from "./target-folder.ts";
import { templateNames } from "./templates.ts";
import { versions } from "./versions.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "create-lethe-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("the command line of create-lethe", () => {
  it.each([
    [["a", "b"], 'one folder is expected, got "a" "b"'],
    [["--template", "toolz"], '--template must be one of tools, interactive, app, gateway, got "toolz"'],
    [["--package-manager", "cargo"], '--package-manager must be one of npm, pnpm, yarn, bun, got "cargo"'],
    [["--templat", "x"], "Unknown option '--templat' (--help lists the options)"],
    [[""], "the folder must not be empty; use . for the current one"],
  ])("rejects %j with a reason", (words, message) => {
    expect(() => parseOptions(words, {})).toThrow(message);
  });

  it("takes the folder of tarballs from LETHE_FROM, and from the option first", () => {
    expect(parseOptions([], { LETHE_FROM: "/env" }).letheFrom).toBe("/env");
    expect(parseOptions(["--lethe-from", "/option"], { LETHE_FROM: "/env" }).letheFrom).toBe("/option");
    expect(parseOptions([], { LETHE_FROM: "" }).letheFrom).toBeUndefined();
  });

  it("uses the defaults for missing answers if it may not ask", async () => {
    const options = parseOptions(["--no-install"], {});
    expect(await completeAnswers(options, false)).toEqual({
      folder: "my-mcp-server",
      template: "tools",
      install: false,
    });
  });
});

it.each([
  ["pnpm/9.15.9 npm/? node/v24.1.0 linux x64", "pnpm"],
  ["yarn/1.22.22 npm/? node/v20.20.2 linux x64", "yarn"],
  ["bun/1.4.5 npm/? node/v24.3.0 linux x64", "bun"],
  ["npm/11.19.1 node/v20.20.2 linux x64 workspaces/false", "npm"],
  ["deno/2.9.6", "npm"],
  [undefined, "npm"],
])("detects the package manager of user agent %j as %s", (userAgent, manager) => {
  expect(toPackageManager(userAgent)).toBe(manager);
});

describe("the folder of a project", () => {
  it("may be missing, empty, or a fresh clone", async () => {
    expect(emptyFolderProblem(join(folder, "missing"))).toBeUndefined();
    await mkdir(join(folder, ".git"));
    expect(emptyFolderProblem(folder)).toBeUndefined();
  });

  it("keeps its files: a folder that contains some is rejected by name", async () => {
    for (const name of ["a", "b", "c", "d"]) await writeFile(join(folder, name), "mine");
    expect(emptyFolderProblem(folder)).toBe(`${folder} is not empty: it contains a, b, c and 1 more`);
    await expect(writeProject(folder, new Map([["a", "theirs"]]))).rejects.toThrow("is not empty");
    expect(await readFile(join(folder, "a"), "utf8")).toBe("mine");
  });

  it("is rejected if it is a file", async () => {
    await writeFile(join(folder, "file"), "");
    expect(emptyFolderProblem(join(folder, "file"))).toBe(`${join(folder, "file")} is a file`);
  });

  it.each([
    ["/srv/My Server!", "my-server"],
    ["/srv/._x", "x"],
    ["/srv/日本", "mcp-server"],
    ["/", "mcp-server"],
  ])("%s becomes the package name %s", (path, name) => {
    expect(toPackageName(path)).toBe(name);
  });
});

describe.each(templateNames)("a project of the template %s", (template) => {
  it.each(packageManagers)("has every file, and no placeholder is left, for %s", async (manager) => {
    const files = await toProjectFiles({ folder: "/srv/demo", template, manager, tarballs: undefined });
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        ".gitignore",
        ".github/workflows/ci.yml",
        "README.md",
        "package.json",
        "src/main.ts",
        "src/server.test.ts",
        "src/server.ts",
        "tsconfig.json",
      ]),
    );
    for (const [path, text] of files) expect(text, path).not.toMatch(/__\w+__/);
    expect(files.get("README.md")).toContain(commandsOf[manager].test);
    expect(files.get(".github/workflows/ci.yml")).toContain(`- run: ${commandsOf[manager].installFrozen}\n`);
  });

  it("depends on exact versions", async () => {
    const files = await toProjectFiles({ folder: "demo", template, manager: "npm", tarballs: undefined });
    const { name, dependencies, devDependencies } = JSON.parse(files.get("package.json") ?? "");
    expect(name).toBe("demo");
    for (const version of Object.values({ ...dependencies, ...devDependencies }))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe("--lethe-from", () => {
  /** The packages of this repository that a project may depend on, as names and as tarballs. */
  let published: string[];
  let tarballNames: string[];

  beforeAll(async () => {
    const packages = new URL("../../", import.meta.url);
    const texts = (await readdir(packages)).map((name) => readFile(new URL(`${name}/package.json`, packages), "utf8"));
    const manifests: { name: string; private?: boolean }[] = (await Promise.all(texts)).map((text) => JSON.parse(text));
    const all = manifests.filter((manifest) => !manifest.private).map(({ name }) => name);
    published = all.filter((name) => name !== "create-lethe").sort();
    tarballNames = published.map((name) => `${name.replace(/^@/, "").replace("/", "-")}-${versions.lethe}.tgz`);
  });

  it("replaces every published package by its tarball, for every package manager", async () => {
    for (const name of tarballNames) await writeFile(join(folder, name), "");
    const tarballs = await findTarballs(folder);
    const files = await toProjectFiles({ folder: "demo", template: "tools", manager: "npm", tarballs });
    const manifest = JSON.parse(files.get("package.json") ?? "");
    const server = `file:${join(folder, `lethe-server-${versions.lethe}.tgz`)}`;
    expect(manifest.dependencies["@lethe/server"]).toBe(server);
    for (const part of [manifest.overrides, manifest.resolutions, manifest.pnpm.overrides]) {
      expect(Object.keys(part)).toEqual(published);
      expect(part["@lethe/server"]).toBe(server);
    }
  });

  it("names the tarballs that the folder lacks", async () => {
    const absent = `lethe-protocol-${versions.lethe}.tgz`;
    for (const name of tarballNames.filter((name) => name !== absent)) await writeFile(join(folder, name), "");
    await expect(findTarballs(folder)).rejects.toThrow(`lacks ${absent}; create them in a clone with npm run pack`);
    await expect(findTarballs(join(folder, "gone"))).rejects.toThrow("cannot be read");
  });
});

it("the versions of created projects are those of this repository", async () => {
  const read = async (path: string) => JSON.parse(await readFile(new URL(`../../../${path}`, import.meta.url), "utf8"));
  const { zod, typescript, "@types/node": node } = (await read("package.json")).devDependencies;
  const { version } = await read("packages/server/package.json");
  expect(versions).toEqual({ lethe: version, zod, typescript, "@types/node": node });
  expect((await read("packages/create-lethe/package.json")).version).toBe(version);
});
