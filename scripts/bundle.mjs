// Writes the JavaScript of every package: one file per entry point, because Node takes a third of a millisecond per module and
// a package has about a hundred. Entry points share chunks, so each class exists once. Imports of other packages and dynamic
// imports of them stay imports, with one exception: a published package contains the private packages that it depends on.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const manifests = new Map(
  readdirSync(packages)
    .filter((name) => existsSync(`${packages}${name}/package.json`))
    .map((name) => [name, JSON.parse(readFileSync(`${packages}${name}/package.json`, "utf8"))]),
);

await Promise.all([...manifests].map(([name, manifest]) => bundle(`${packages}${name}/`, manifest)));

async function bundle(root, manifest) {
  const contained = containedIn(manifest);
  const bundler = await rolldown({
    input: entryPointsOf(manifest),
    cwd: root,
    external: (id) => /^(?![A-Za-z]:)[^./#]/.test(id) && !contained.has(packageOf(id)),
    resolve: { conditionNames: ["@lethe/source", "default"] },
    transform: { target: "node20.19" },
  });
  removeScripts(`${root}dist/`);
  const { output } = await bundler.write({
    dir: `${root}dist`,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
  });
  await bundler.close();
  requireEachOnce(output.flatMap((chunk) => Object.keys(chunk.modules ?? {})));
  requireDeclared(manifest, output);
  if (contained.size > 0) copyDeclarations(`${root}dist/`, contained);
}

/** Maps the names of the private packages that a published package contains to their folders. */
function containedIn({ private: isPrivate, devDependencies = {} }) {
  const folders = [...manifests].filter(([, { name, private: isPart }]) => isPart && name in devDependencies);
  return new Map(isPrivate ? [] : folders.map(([folder, { name }]) => [name, folder]));
}

/** Maps paths in dist/ to sources: the entry points for users, and programs that the package itself starts. */
function entryPointsOf({ exports: entryPoints = {}, imports = {} }) {
  const pairs = [...Object.values(entryPoints), ...Object.values(imports)].filter((entry) => entry["@lethe/source"]);
  return Object.fromEntries(
    pairs.map((entry) => [entry.default.replace(/^\.\/dist\/|\.js$/g, ""), entry["@lethe/source"]]),
  );
}

function packageOf(id) {
  const [scope, name] = id.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}

/** Keeps declarations, which the compiler writes. */
function removeScripts(dist) {
  if (!existsSync(dist)) return;
  for (const file of readdirSync(dist, { recursive: true })) if (file.endsWith(".js")) rmSync(`${dist}${file}`);
}

function requireEachOnce(modules) {
  const twice = modules.find((module, index) => modules.indexOf(module) !== index);
  if (twice !== undefined) throw new Error(`${twice} is in two chunks`);
}

/** Package managers install only declared packages, so the dependencies of contained packages are declared as well. */
function requireDeclared({ name, dependencies, peerDependencies }, output) {
  // A contained package imports the package that contains it by name, as users do.
  const declared = { [name]: "", ...dependencies, ...peerDependencies };
  const own = output.map(({ fileName }) => fileName);
  const imports = output.flatMap((chunk) => [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]);
  const foreign = imports.filter((id) => !own.includes(id) && !id.startsWith("node:"));
  const missing = foreign.find((id) => !(packageOf(id) in declared));
  if (missing !== undefined)
    throw new Error(`${name} contains an import of ${missing}: add ${packageOf(missing)} to its dependencies`);
}

/** Copies the declarations of contained packages to dist/FOLDER/, and makes their imports of each other relative. */
function copyDeclarations(dist, contained) {
  for (const folder of contained.values()) {
    const source = `${packages}${folder}/dist/`;
    rmSync(`${dist}${folder}`, { recursive: true, force: true });
    for (const file of readdirSync(source, { recursive: true }).filter((name) => name.endsWith(".d.ts"))) {
      const copy = `${dist}${folder}/${file}`;
      mkdirSync(dirname(copy), { recursive: true });
      const text = readFileSync(`${source}${file}`, "utf8");
      writeFileSync(
        copy,
        text.replace(/(?<=")@lethe\/[^"]+(?=")/g, (id) => linkFrom(dirname(copy), id)),
      );
    }
  }

  function linkFrom(from, id) {
    const path = contained.has(id) ? relative(from, `${dist}${contained.get(id)}/index.js`) : id;
    // Paths of Windows have backslashes.
    return path.replaceAll("\\", "/");
  }
}
