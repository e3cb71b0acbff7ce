// Writes a version into every file of a source tree that names it: manifests, their pins of each other, and sources.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A new project has its own version. */
const unrelated = ["packages/create-lethe/src/manifest.ts"];

/** Returns the files that changed. `files` are relative to `root`. */
export function setVersion(root, files, from, to) {
  return files.filter((file) => {
    const change = changeOf(file);
    if (change === undefined) return false;
    const path = join(root, file);
    const before = readFileSync(path, "utf8");
    const after = change(before, from, to);
    if (after !== before) writeFileSync(path, after);
    return after !== before;
  });
}

function changeOf(file) {
  if (unrelated.includes(file) || file.includes("/templates/")) return undefined;
  if (file === "package.json" || file.endsWith("/package.json")) return changeManifest;
  return /^packages\/[^/]+\/src\//.test(file) ? changeSource : undefined;
}

function changeManifest(text, from, to) {
  const manifest = JSON.parse(text);
  if (manifest.version === from) manifest.version = to;
  for (const kind of ["dependencies", "devDependencies", "peerDependencies"]) {
    for (const name of Object.keys(manifest[kind] ?? {}))
      if (isOwn(name) && manifest[kind][name] === from) manifest[kind][name] = to;
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function isOwn(name) {
  return name.startsWith("@lethe/") || name === "lethe";
}

/** Sources name the version as a text of its own, or as the version of a package to install. */
function changeSource(text, from, to) {
  return text.replaceAll(`"${from}"`, `"${to}"`).replaceAll(`lethe@${from}`, `lethe@${to}`);
}
