// Packs every published package of a source tree as npm would publish it.
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Returns `{ name, version, file, size, unpackedSize }` for each, in the order in which they can be published. */
export async function packPackages(root, folder) {
  const packages = join(root, "packages");
  const manifests = new Map(
    readdirSync(packages).map((name) => [
      join(packages, name),
      JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")),
    ]),
  );
  const published = [...manifests].filter(([, manifest]) => !manifest.private);
  mkdirSync(folder, { recursive: true });
  // One npm process for all: each takes half a second to start.
  const args = ["pack", "--json", "--pack-destination", folder, ...published.map(([path]) => path)];
  const { stdout } = await promisify(execFile)("npm", args, { maxBuffer: 1 << 26 });
  const packed = JSON.parse(stdout).map(({ name, version, filename, size, unpackedSize }) => ({
    name,
    version,
    file: join(folder, filename),
    size,
    unpackedSize,
  }));
  return inOrder(packed, new Map(published.map(([, manifest]) => [manifest.name, manifest])));
}

/** A package follows those that it depends on. */
function inOrder(packed, manifests) {
  const ordered = new Set();
  const visit = (name) => {
    for (const dependency of Object.keys(manifests.get(name).dependencies ?? {}))
      if (manifests.has(dependency)) visit(dependency);
    ordered.add(name);
  };
  for (const { name } of packed) visit(name);
  return [...ordered].map((name) => packed.find((one) => one.name === name));
}
