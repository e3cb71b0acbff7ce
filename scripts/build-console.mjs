// Builds the web console: Vite writes the pages to packages/console/site/files, and this program packs them into one module, site.js,
// which bundles with the code that serves it. Does nothing if no source has changed since the last build.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = `${root}packages/console/site/`;
/** Folders and files that decide what the build writes. */
const sources = [
  "packages/console/src/app",
  "packages/console/public",
  "packages/console/index.html",
  "packages/console/vite.config.ts",
  "packages/console/package.json",
  "packages/client/src",
  "packages/protocol/src",
  "scripts/build-console.mjs",
  "package-lock.json",
];
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

export async function buildConsole() {
  const stamp = stampOfSources();
  if (existsSync(`${site}stamp`) && readFileSync(`${site}stamp`, "utf8") === stamp) return;
  rmSync(site, { recursive: true, force: true });
  const { build } = await import("vite");
  await build({ root: `${root}packages/console`, logLevel: "warn" });
  writeFileSync(`${site}site.js`, toModule(`${site}files/`));
  writeFileSync(`${site}stamp`, stamp);
}

function stampOfSources() {
  const hash = createHash("sha256").update(process.version);
  for (const path of sources.flatMap(filesOf)) hash.update(path).update(readFileSync(`${root}${path}`));
  return hash.digest("hex");
}

function filesOf(path) {
  if (extname(path) !== "") return [path];
  if (!existsSync(`${root}${path}`)) return [];
  const names = readdirSync(`${root}${path}`, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.name.includes(".test."));
  return files.map((entry) => toUrlPath(relative(root, join(entry.parentPath, entry.name)))).sort();
}

/** Paths of Windows have backslashes. */
function toUrlPath(path) {
  return path.replaceAll("\\", "/");
}

function toModule(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    const type = types[extname(path)];
    if (type === undefined) throw new Error(`${path}: add the content type of ${extname(path)} to ${import.meta.url}`);
    const tag = createHash("sha256").update(content).digest("base64url").slice(0, 16);
    return [toUrlPath(relative(folder, path)), { type, tag, gzip: gzipSync(content, { level: 9 }).toString("base64") }];
  });
  return `export const files = ${JSON.stringify(Object.fromEntries(files.sort()))};\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildConsole();
