// Writes the JavaScript of every package: one file per door, because Node's loader takes a third of a millisecond for each
// module and a package has a hundred. What two doors of a package share is a chunk of its own, so a class exists once.
// Imports of other packages stay imports, and what a source imports late is still loaded late.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

await Promise.all(readdirSync(packages).map((name) => bundle(`${packages}${name}/`)));

async function bundle(root) {
  if (!existsSync(`${root}package.json`)) return;
  const bundler = await rolldown({
    input: doorsOf(JSON.parse(readFileSync(`${root}package.json`, "utf8"))),
    cwd: root,
    external: /^(?![A-Za-z]:)[^./]/,
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
}

/** By their path in dist/: what the exports of a package name, or the main file of a command. */
function doorsOf({ exports: doors = { ".": { "@lethe/source": "./src/main.ts", default: "./dist/main.js" } } }) {
  const pairs = Object.values(doors).filter((door) => door["@lethe/source"]);
  return Object.fromEntries(
    pairs.map((door) => [door.default.replace(/^\.\/dist\/|\.js$/g, ""), door["@lethe/source"]]),
  );
}

/** Declarations beside them belong to the compiler. */
function removeScripts(dist) {
  if (!existsSync(dist)) return;
  for (const file of readdirSync(dist, { recursive: true })) if (file.endsWith(".js")) rmSync(`${dist}${file}`);
}

function requireEachOnce(modules) {
  const twice = modules.find((module, index) => modules.indexOf(module) !== index);
  if (twice !== undefined) throw new Error(`${twice} is in two chunks`);
}
