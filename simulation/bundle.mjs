// Bundles the simulation with the sources of all packages, and replaces what would make it slow.
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Processes seal their messages with a checksum in the place of encryption. */
const cheapCipher = {
  name: "cheap-cipher",
  transform(code, id) {
    if (!id.endsWith("/node/sealing/message-cipher.ts")) return undefined;
    return code.replace('"node:crypto"', JSON.stringify(`${here}src/world/cheap-cipher.ts`));
  },
};

/** Direct connections between replicas use the simulated network. */
const simulatedTls = {
  name: "simulated-tls",
  transform(code, id) {
    if (!/\/redis\/src\/links\/(?:dial-link|link-listener)\.ts$/.test(id)) return undefined;
    return code.replace('"node:tls"', JSON.stringify(`${here}src/network/simulated-tls.ts`));
  },
};

/** V8 turns an array whose last item is deleted into a dictionary, and fengari deletes items of its stack in every step. */
const fastStack = {
  name: "fast-stack",
  transform(code, id) {
    if (!/\/fengari\/src\//.test(id)) return undefined;
    return code.replaceAll(/delete (\w+\.stack\[[^\]]+\]);/g, "$1 = undefined;");
  },
};

/** Returns the URL of the folder with the bundle. `plugins` may change the code under simulation. */
export async function build({ folder = "dist", plugins = [] } = {}) {
  const bundler = await rolldown({
    input: { main: "src/main.ts", worker: "src/worker.ts", scale: "src/scale/main.ts" },
    cwd: here,
    platform: "node",
    resolve: {
      conditionNames: ["@lethe/source", "node", "import"],
      alias: { ioredis: `${here}src/network/simulated-ioredis.ts` },
    },
    external: /^(?!@lethe\/|[A-Za-z]:|ioredis$|fengari$)[^./]/,
    transform: { target: "node20.19" },
    plugins: [cheapCipher, simulatedTls, fastStack, ...plugins],
  });
  await bundler.write({ dir: `${here}${folder}`, entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" });
  await bundler.close();
  return pathToFileURL(`${here}${folder}`).href;
}
