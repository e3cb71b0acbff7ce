// npm run release -- [VERSION | major | minor | patch] [--dry-run] [--out FOLDER]
// Prepares a release up to the step that needs an account: sets the version, dates the changelog, builds, packs, and checks each tarball.
// Writes the tarballs, CHANGELOG.md and NOTES.md to FOLDER (results/release by default). Without --dry-run it also changes the source tree.
// Prints the commands that remain.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { releaseChangelog, releasedVersions } from "./release/changelog.mjs";
import { checkTarball } from "./release/check-tarball.mjs";
import { nextVersion } from "./release/next-version.mjs";
import { packPackages } from "./release/pack-packages.mjs";
import { setVersion } from "./release/set-version.mjs";
import { copySourceTree } from "./release/source-tree.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  options: { "dry-run": { type: "boolean", default: false }, out: { type: "string", default: "results/release" } },
  allowPositionals: true,
});
const out = resolve(values.out);
const isDry = values["dry-run"];

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
if (!isDry && new URL(manifest.homepage).hostname.endsWith(".example"))
  fail("package.json names no repository yet: set homepage, bugs and repository there, or use --dry-run");

const tree = mkdtempSync(join(tmpdir(), "lethe-release-"));
process.on("exit", () => rmSync(tree, { recursive: true, force: true }));
try {
  await release();
} catch (error) {
  fail(error.message);
}

async function release() {
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const version = nextVersion(positionals[0], manifest.version, releasedVersions(changelog));
  const { text, notes } = releaseChangelog(changelog, version, new Date().toISOString().slice(0, 10));
  const changed = setVersion(tree, copySourceTree(root, tree), manifest.version, version);

  const steps = [["node_modules/typescript/bin/tsc", "-b"], ["scripts/build-console.mjs"], ["scripts/bundle.mjs"]];
  for (const args of steps) build(args);
  rmSync(out, { recursive: true, force: true });
  const packed = await packPackages(tree, out);
  const problems = [];
  for (const { file } of packed)
    for (const problem of await checkTarball(root, file)) problems.push(`${basename(file)}: ${problem}`);
  if (problems.length > 0) fail(problems.join("\n"));

  writeFileSync(join(out, "CHANGELOG.md"), text);
  writeFileSync(join(out, "NOTES.md"), `${notes}\n`);
  const sums = packed.map(
    ({ file }) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}\n`,
  );
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  report(version, packed);
  if (!isDry) applyToSources(changed, text);
}

function build(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: tree, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${args.join(" ")} failed with exit code ${status}`);
}

function report(version, packed) {
  const folder = relative(process.cwd(), out) || ".";
  const toKb = (bytes) => `${Math.ceil(bytes / 1024)} KB`.padStart(8);
  console.log(`version ${manifest.version} -> ${version}${isDry ? " (dry run: the source tree is unchanged)" : ""}\n`);
  console.log("packed and checked with publint and are-the-types-wrong:");
  for (const { name, file, size, unpackedSize } of packed)
    console.log(
      `  ${name.padEnd(16)} ${basename(file).padEnd(28)} ${toKb(size)} packed ${toKb(unpackedSize)} unpacked`,
    );
  console.log(`\n${folder}/CHANGELOG.md, NOTES.md and SHA256SUMS are written.\n`);
  console.log("What remains, with the rights to push and to publish:");
  console.log(`  git commit -am "release: ${version}"`);
  console.log(`  git tag -a v${version} -F ${join(folder, "NOTES.md")}`);
  console.log(`  git push --follow-tags`);
  for (const { file } of packed)
    console.log(`  npm publish --access public --provenance ${relative(process.cwd(), file)}`);
}

/** Called last, so a release that fails a check changes nothing. */
function applyToSources(changed, changelog) {
  for (const file of changed) cpSync(join(tree, file), join(root, file));
  writeFileSync(join(root, "CHANGELOG.md"), changelog);
  const { status } = spawnSync("npm", ["install", "--package-lock-only"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("npm install --package-lock-only failed: package-lock.json has the old version");
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}
