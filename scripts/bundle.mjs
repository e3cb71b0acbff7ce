// Writes the JavaScript of every package: one file per entry point, because Node takes a third of a millisecond per module and
// a package has about a hundred. Entry points share chunks, so each class exists once. Imports of other packages and dynamic
// imports of them stay imports, with one exception: a published package contains the private packages that it depends on.
// The chunks are few, so that a program that imports the main entry points loads few files (chunkGroups).
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { rolldown } from "rolldown";
import { copyContained, linkTo, packages, publishedSource } from "./contained-packages.mjs";

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
    codeSplitting: { groups: chunkGroups(root, manifest) },
    // Editors read the comments in the declarations. Here they would only take time at the start of a program.
    comments: { legal: true, annotation: true, jsdoc: false },
    sourcemap: true,
    // The sources are in the package, for the declaration maps too.
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (path, map) =>
      linkTo(dirname(map), publishedSource(`${root}dist/`, contained, resolve(dirname(map), path))),
  });
  await bundler.close();
  requireEachOnce(output.flatMap((chunk) => Object.keys(chunk.modules ?? {})));
  requireDeclared(manifest, output);
  copyContained(`${root}dist/`, contained);
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

/**
 * What the entry point "." loads at once is one chunk. What "./node" loads beyond it is another one, apart from what it shares with entry
 * points that need no Node: these would load modules of Node with it. Other modules are shared by the entry points that load them.
 */
function chunkGroups(root, { exports: entryPoints = {} }) {
  const chunkOf = new Map();
  function assign(context) {
    const entries = Object.entries(entryPoints).filter(([, entry]) => entry["@lethe/source"]);
    const loaded = new Map(
      entries.map(([name, entry]) => [name, loadedBy(resolve(root, entry["@lethe/source"]), context)]),
    );
    const portable = new Set([...loaded.values()].filter((ids) => ![...ids].some(isOfNode)).flatMap((ids) => [...ids]));
    for (const id of loaded.get("./node") ?? []) chunkOf.set(id, portable.has(id) ? "shared" : "node");
    for (const id of loaded.get(".") ?? []) chunkOf.set(id, "core");
  }
  // A group takes along what its modules import and no earlier group has.
  return ["core", "shared", "node"].map((chunk, index) => ({
    name(id, context) {
      // The modules are known by now.
      if (chunkOf.size === 0 && "." in entryPoints) assign(context);
      return chunkOf.get(id) === chunk ? chunk : undefined;
    },
    ...{ test: isOwn(root), priority: 3 - index, debugName: chunk },
  }));
}

function isOfNode(id) {
  return id.startsWith("node:");
}

/** Returns the modules that a module imports, directly or not, and itself. */
function loadedBy(entry, context) {
  const found = new Set([entry]);
  for (const id of found) for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

function isOwn(root) {
  return (id) => id.startsWith(root);
}

function packageOf(id) {
  const [scope, name] = id.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}

/** Keeps declarations, which the compiler writes. */
function removeScripts(dist) {
  if (!existsSync(dist)) return;
  const files = readdirSync(dist, { recursive: true });
  for (const file of files) if (/\.js(\.map)?$/.test(file)) rmSync(`${dist}${file}`);
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
  const foreign = imports.filter((id) => !own.includes(id) && !isOfNode(id));
  const missing = foreign.find((id) => !(packageOf(id) in declared));
  if (missing !== undefined)
    throw new Error(`${name} contains an import of ${missing}: add ${packageOf(missing)} to its dependencies`);
}
