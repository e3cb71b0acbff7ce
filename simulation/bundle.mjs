// Bundles the simulation with the sources of all packages.
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Returns the URL of the folder with the bundle. `plugins` may change the code under simulation. */
export async function build({ folder = "dist", plugins = [] } = {}) {
  const bundler = await rolldown({
    input: { main: "src/main.ts", worker: "src/worker.ts" },
    cwd: here,
    platform: "node",
    resolve: {
      conditionNames: ["@lethe/source", "node", "import"],
      alias: { ioredis: `${here}src/network/simulated-ioredis.ts` },
    },
    external: /^(?!@lethe\/|[A-Za-z]:|ioredis$)[^./]/,
    transform: { target: "node20.19" },
    plugins,
  });
  await bundler.write({ dir: `${here}${folder}`, entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" });
  await bundler.close();
  return pathToFileURL(`${here}${folder}`).href;
}
