// npm run docs: builds the documentation site to site/dist. With --serve, also serves it at http://127.0.0.1:4173.
// --without-api omits the reference of the TypeScript API, which takes most of the time.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const site = fileURLToPath(new URL("./", import.meta.url));
const root = dirname(dirname(`${site}.`));
const vitepress = join(dirname(createRequire(import.meta.url).resolve("vitepress/package.json")), "bin/vitepress.js");

await bundleGenerator();
run([join(site, ".cache/generate.js"), root, ...(process.argv.includes("--without-api") ? ["--without-api"] : [])]);
run([vitepress, "build", site]);
if (process.argv.includes("--serve")) run([vitepress, "preview", site, "--host", "127.0.0.1"]);

/** The generator reads the sources of the packages: commands, metrics. So it needs no build of them. */
async function bundleGenerator() {
  const bundler = await rolldown({
    input: { generate: join(site, "src/generate.ts") },
    external: (id) => /^[^./#]/.test(id) && !/^(@lethe\/|lethe\/)/.test(id),
    resolve: { conditionNames: ["@lethe/source", "node", "import", "default"] },
    transform: { target: "node20.19" },
  });
  await bundler.write({ dir: join(site, ".cache"), entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" });
  await bundler.close();
}

function run(args) {
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
