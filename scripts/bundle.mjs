// Writes the JavaScript of every package: one file per entry point, because Node takes a third of a millisecond per module and
// a package has about a hundred. Entry points share chunks, so each class exists once. Imports of other packages and dynamic
// imports stay imports.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

await Promise.all(readdirSync(packages).map((name) => bundle(`${packages}${name}/`)));

async function bundle(root) {
  if (!existsSync(`${root}package.json`)) return;
  const bundler = await rolldown({
    input: entryPointsOf(JSON.parse(readFileSync(`${root}package.json`, "utf8"))),
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

/** Maps paths in dist/ to sources: the exports of a package, or the main file of a command. */
function entryPointsOf({
  exports: entryPoints = { ".": { "@lethe/source": "./src/main.ts", default: "./dist/main.js" } },
}) {
  const pairs = Object.values(entryPoints).filter((entry) => entry["@lethe/source"]);
  return Object.fromEntries(
    pairs.map((entry) => [entry.default.replace(/^\.\/dist\/|\.js$/g, ""), entry["@lethe/source"]]),
  );
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
